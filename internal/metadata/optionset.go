package metadata

import (
	"strconv"

	"almoner/internal/schema"
)

// optionSet is a set of options in the role it plays: Picklist, State, Status or Boolean.
type optionSet struct {
	*schema.OptionSet
	role string
}

// option is one value of a set.
type option struct {
	set optionSet
	*schema.Option
}

var (
	// optionShape is OptionMetadata.
	optionShape = complexShape("OptionMetadata", nil,
		get("Value", edmInt32, func(o option) any { return o.Option.Value }),
		one("Label", labelShape, func(o option) any { return o.text("Label", o.Option.Label) }),
		one("Description", labelShape, func(o option) any { return o.text("Description", o.Option.Doc) }),
		fixed("Color", edmString, nil),
		fixed("IsManaged", edmBoolean, false),
		fixed("ExternalValue", edmString, ""),
		fixed("ParentValues", "Collection("+edmInt32+")", []string{}),
		fixed("Tag", edmString, nil),
		fixed("IsHidden", edmBoolean, false),
		fixed(metadataID, edmGuid, nil),
		fixed("HasChanged", edmBoolean, nil),
	)

	stateOptionShape = complexShape("StateOptionMetadata", optionShape,
		get("DefaultStatus", edmInt32, func(o option) any { return o.Option.Status }),
		get("InvariantName", edmString, func(o option) any { return o.Option.Label }),
	)

	statusOptionShape = complexShape("StatusOptionMetadata", optionShape,
		get("State", edmInt32, func(o option) any { return o.Option.State }),
		fixed("TransitionData", edmString, nil),
	)

	// setBaseShape is OptionSetMetadataBase, the type of GlobalOptionSetDefinitions.
	setBaseShape = entityShape("OptionSetMetadataBase", metadataBase,
		get("Name", edmString, func(s optionSet) any { return s.Name }),
		choice("OptionSetType", optionSetType, func(s optionSet) string { return s.role }),
		get("IsGlobal", edmBoolean, func(s optionSet) any { return s.Global }),
		get("IsCustomOptionSet", edmBoolean, func(s optionSet) any { return s.role == rolePicklist }),
		fixed("IsManaged", edmBoolean, false),
		labelled("DisplayName", func(s optionSet) string { return s.OptionSet.Label }),
		labelled("Description", func(s optionSet) string { return s.Doc }),
		fixed("ExternalTypeName", edmString, nil),
		fixed("ParentOptionSetName", edmString, nil),
		fixed("IntroducedVersion", edmString, "1.0.0.0"),
		governed("IsCustomizable", false, "iscustomizable"),
	).keyed("Name", true)

	optionSetShape = entityShape("OptionSetMetadata", setBaseShape, each("Options", optionShape, optionSet.options))

	booleanSetShape = entityShape("BooleanOptionSetMetadata", setBaseShape,
		one("TrueOption", optionShape, func(s optionSet) any { return s.at(1) }),
		one("FalseOption", optionShape, func(s optionSet) any { return s.at(0) }),
	)
)

const rolePicklist = "Picklist"

// setRoles says what an option set is to a column of a type.
var setRoles = map[schema.Type]string{
	schema.TypeChoice: rolePicklist, schema.TypeMultiChoice: rolePicklist, schema.TypeState: "State", schema.TypeStatus: "Status", schema.TypeBool: "Boolean",
}

// optionShapes says which shape the options of a set have by its role.
var optionShapes = map[string]*shape{rolePicklist: optionShape, "State": stateOptionShape, "Status": statusOptionShape, "Boolean": optionShape}

// optionSetOf is the set of a column, or nil.
func optionSetOf(c *schema.Column) any {
	if c.Options == nil {
		return nil
	}
	shape := optionSetShape
	if c.Type == schema.TypeBool {
		shape = booleanSetShape
	}
	return element{shape, optionSet{c.Options, setRoles[c.Type]}}
}

// globalSetOf is the set of a column when other columns may share it, or nil.
func globalSetOf(c *schema.Column) any {
	if c.Options == nil || !c.Options.Global {
		return nil
	}
	return optionSetOf(c)
}

func (s optionSet) options() []element {
	var out []element
	for i := range s.Options {
		out = append(out, s.at(i))
	}
	return out
}

func (s optionSet) at(i int) element { return element{optionShapes[s.role], option{s, &s.Options[i]}} }

// text is the label of an option; its identity is that of the set and the value.
func (o option) text(role, text string) element {
	return element{labelShape, label{text, o.set.MetadataID(), role + "/" + strconv.FormatInt(o.Value, 10)}}
}
