package metadata

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// english is the one language labels come in.
const english = 1033

// label is a text for people. It belongs to a piece of the model, in one role (its name, its description).
type label struct {
	text  string
	owner value.GUID
	role  string
}

var (
	localizedLabelShape = complexShape("LocalizedLabel", nil,
		get("Label", edmString, func(l label) any { return l.text }),
		fixed("LanguageCode", edmInt32, english),
		fixed("IsManaged", edmBoolean, false),
		get(metadataID, edmGuid, func(l label) any { return schema.MetadataID("label", l.owner.String(), l.role) }),
		fixed("HasChanged", edmBoolean, nil),
	)

	// labelShape has no languages and no user's label when the text is empty.
	labelShape = complexShape("Label", nil,
		each("LocalizedLabels", localizedLabelShape, func(l label) []element {
			if l.text == "" {
				return nil
			}
			return []element{{localizedLabelShape, l}}
		}),
		one("UserLocalizedLabel", localizedLabelShape, func(l label) any {
			if l.text == "" {
				return nil
			}
			return element{localizedLabelShape, l}
		}),
	)
)

// labelled makes a property that is a label.
func labelled[T identified](name string, text func(T) string) member {
	return one(name, labelShape, func(of T) any {
		return element{labelShape, label{text(of), of.MetadataID(), name}}
	})
}

// managed is a value that a managed solution could forbid to change.
type managed struct {
	value      any
	changeable bool
	name       string
}

var (
	booleanManagedShape = complexShape("BooleanManagedProperty", nil, managedMembers(get("Value", edmBoolean, func(m managed) any { return m.value }))...)

	requiredLevelShape = complexShape("AttributeRequiredLevelManagedProperty", nil,
		managedMembers(choice("Value", requiredLevels, func(m managed) string { return m.value.(string) }))...)
)

func managedMembers(v member) []member {
	return []member{
		v,
		get("CanBeChanged", edmBoolean, func(m managed) any { return m.changeable }),
		get("ManagedPropertyLogicalName", edmString, func(m managed) any { return m.name }),
	}
}

// governed makes a managed property with the same value everywhere.
func governed(name string, v bool, logical string) member {
	e := element{booleanManagedShape, managed{value: v, name: logical}}
	m := fixed(name, booleanManagedShape.qualified(), e)
	m.shape = booleanManagedShape
	return m
}

// audited makes the managed property that says whether changes are written to the audit log.
func audited[T any](table func(T) *schema.Table) member {
	return one("IsAuditEnabled", booleanManagedShape, func(of T) any {
		return element{booleanManagedShape, managed{table(of).Audit, true, "canmodifyauditsettings"}}
	})
}
