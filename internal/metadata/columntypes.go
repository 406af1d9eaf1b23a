package metadata

import (
	"math"
	"strconv"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// floatRange bounds floating-point columns, which declare no range of their own.
const floatRange = 100000000000

// enumColumnShape is the common part of all columns that hold values of an option set.
var enumColumnShape = entityShape("EnumAttributeMetadata", columnShape,
	get("DefaultFormValue", edmInt32, defaultOption),
	one("OptionSet", optionSetShape, func(c *schema.Column) any { return optionSetOf(c) }).leading(""),
	one("GlobalOptionSet", optionSetShape, globalSetOf).leading(rootOptionSets),
).keyed("LogicalName", true)

var (
	bigIntShape  = entityShape("BigIntAttributeMetadata", columnShape, rangeMembers(edmInt64, math.MinInt64, math.MaxInt64)...)
	integerShape = entityShape("IntegerAttributeMetadata", columnShape, append(rangeMembers(edmInt32, math.MinInt32, math.MaxInt32),
		enumFixed("Format", integerFormat, "None"), fixed("SourceTypeMask", edmInt32, 0))...)
	decimalShape = entityShape("DecimalAttributeMetadata", columnShape, append(scaledRange(edmDecimal),
		get("Precision", edmInt32, func(c *schema.Column) any { return c.Scale }), enumFixed("ImeMode", imeMode, "Disabled"))...)
	doubleShape = entityShape("DoubleAttributeMetadata", columnShape,
		fixed("MinValue", edmDouble, -floatRange), fixed("MaxValue", edmDouble, floatRange), fixed("Precision", edmInt32, schema.FloatScale),
		enumFixed("ImeMode", imeMode, "Disabled"))
	moneyShape = entityShape("MoneyAttributeMetadata", columnShape, append(scaledRange(edmDouble),
		get("Precision", edmInt32, func(c *schema.Column) any { return c.Scale }),
		fixed("PrecisionSource", edmInt32, 0),
		get("IsBaseCurrency", edmBoolean, func(c *schema.Column) any { return c.BaseOf != nil }),
		get("CalculationOf", edmString, func(c *schema.Column) any { return nameOf(c.BaseOf) }),
		enumFixed("ImeMode", imeMode, "Disabled"))...)
	stringShape = entityShape("StringAttributeMetadata", columnShape,
		get("MaxLength", edmInt32, func(c *schema.Column) any { return c.Max }),
		get("DatabaseLength", edmInt32, func(c *schema.Column) any { return c.Max }),
		enumFixed("Format", stringFormat, "Text"),
		one("FormatName", formatNameShape, func(*schema.Column) any { return element{formatNameShape, "Text"} }),
		enumFixed("ImeMode", imeMode, "Auto"),
		fixed("IsLocalizable", edmBoolean, false),
		fixed("YomiOf", edmString, nil))
	memoShape = entityShape("MemoAttributeMetadata", columnShape,
		get("MaxLength", edmInt32, func(c *schema.Column) any { return c.Max }),
		enumFixed("Format", stringFormat, "TextArea"),
		one("FormatName", formatNameShape, func(*schema.Column) any { return element{formatNameShape, "TextArea"} }),
		enumFixed("ImeMode", imeMode, "Auto"),
		fixed("IsLocalizable", edmBoolean, false))
	dateTimeShape = entityShape("DateTimeAttributeMetadata", columnShape,
		choice("Format", dateTimeFormat, dateFormat),
		one("DateTimeBehavior", behaviourShape, func(c *schema.Column) any { return element{behaviourShape, dateBehaviour(c)} }),
		governed("CanChangeDateTimeBehavior", false, "canchangedatetimebehavior"),
		fixed("MinSupportedValue", edmDateTime, "1753-01-01T00:00:00Z"),
		fixed("MaxSupportedValue", edmDateTime, "9999-12-30T23:59:59Z"),
		enumFixed("ImeMode", imeMode, "Inactive"))
	lookupShape = entityShape("LookupAttributeMetadata", columnShape,
		get("Targets", "Collection("+edmString+")", func(c *schema.Column) any { return targetNames(c) }),
		enumFixed("Format", lookupFormat, "None"))
	booleanShape = entityShape("BooleanAttributeMetadata", columnShape,
		get("DefaultValue", edmBoolean, defaultBool),
		one("OptionSet", booleanSetShape, func(c *schema.Column) any { return optionSetOf(c) }).leading(""),
		one("GlobalOptionSet", booleanSetShape, func(*schema.Column) any { return nil }).leading(rootOptionSets))

	uniqueIDShape    = entityShape("UniqueIdentifierAttributeMetadata", columnShape)
	picklistShape    = entityShape("PicklistAttributeMetadata", enumColumnShape, fixed("ParentPicklistLogicalName", edmString, nil))
	multiSelectShape = entityShape("MultiSelectPicklistAttributeMetadata", enumColumnShape, fixed("ParentPicklistLogicalName", edmString, nil))
	stateShape       = entityShape("StateAttributeMetadata", enumColumnShape)
	statusShape      = entityShape("StatusAttributeMetadata", enumColumnShape)
	entityNameShape  = entityShape("EntityNameAttributeMetadata", enumColumnShape)

	// No column is an image or a file: these are types to cast to, which leave nothing.
	imageShape = entityShape("ImageAttributeMetadata", columnShape)
	fileShape  = entityShape("FileAttributeMetadata", columnShape)
)

// columnShapes says which shape a column of a type has.
var columnShapes = [...]*shape{
	schema.TypeID: uniqueIDShape, schema.TypeGUID: uniqueIDShape, schema.TypeString: stringShape, schema.TypeMemo: memoShape,
	schema.TypeName: entityNameShape, schema.TypeInteger: integerShape, schema.TypeBigInt: bigIntShape, schema.TypeMoney: moneyShape,
	schema.TypeDecimal: decimalShape, schema.TypeFloat: doubleShape, schema.TypeBool: booleanShape, schema.TypeChoice: picklistShape,
	schema.TypeMultiChoice: multiSelectShape, schema.TypeState: stateShape, schema.TypeStatus: statusShape, schema.TypeDate: dateTimeShape,
	schema.TypeDateTime: dateTimeShape, schema.TypeLookup: lookupShape,
}

// enumFixed makes a property of an enumeration with the same value everywhere.
func enumFixed(name string, e *enumeration, v string) member {
	return choice(name, e, func(*schema.Column) string { return v })
}

// rangeMembers are the bounds of whole numbers; a column without bounds has those of its type.
func rangeMembers(typ string, low, high int64) []member {
	bound := func(pick func(*schema.Column) int64, otherwise int64) func(*schema.Column) any {
		return func(c *schema.Column) any {
			if c.Low == 0 && c.High == 0 {
				return otherwise
			}
			return pick(c)
		}
	}
	return []member{
		get("MinValue", typ, bound(func(c *schema.Column) int64 { return c.Low }, low)),
		get("MaxValue", typ, bound(func(c *schema.Column) int64 { return c.High }, high)),
	}
}

// scaledRange are the bounds of exact numbers, which the model keeps in units of their last decimal.
func scaledRange(typ string) []member {
	return []member{
		get("MinValue", typ, func(c *schema.Column) any { return unscaled(c.Low, c.Scale) }),
		get("MaxValue", typ, func(c *schema.Column) any { return unscaled(c.High, c.Scale) }),
	}
}

// unscaled writes n / 10^scale without trailing zeros.
func unscaled(n int64, scale int) number {
	for scale > 0 && n%10 == 0 {
		n, scale = n/10, scale-1
	}
	if scale == 0 {
		return number(strconv.FormatInt(n, 10))
	}
	return number(value.AppendDecimal(nil, n, scale))
}

func defaultOption(c *schema.Column) any {
	if c.Default.Kind() != value.KindInt {
		return -1
	}
	return c.Default.Int()
}

func defaultBool(c *schema.Column) any {
	if c.Default.Kind() != value.KindBool {
		return nil
	}
	return c.Default.Bool()
}

func dateFormat(c *schema.Column) string {
	if c.Type == schema.TypeDate {
		return "DateOnly"
	}
	return "DateAndTime"
}

func dateBehaviour(c *schema.Column) string {
	if c.Type == schema.TypeDate {
		return "DateOnly"
	}
	return "UserLocal"
}

func targetNames(c *schema.Column) []string {
	names := make([]string, 0, len(c.Targets))
	for _, t := range c.Targets {
		names = append(names, t.Name)
	}
	return names
}
