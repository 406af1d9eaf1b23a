package metadata

import "almoner/internal/schema"

// The vocabulary terms of an annotated document.
const (
	coreNamespace         = "Org.OData.Core.V1"
	capabilitiesNamespace = "Org.OData.Capabilities.V1"
	vocabularies          = "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/"
)

// references names the vocabularies an annotated document uses.
func (d *csdl) references() {
	if !d.annotations {
		return
	}
	for _, ns := range []string{coreNamespace, capabilitiesNamespace} {
		d.element("edmx:Reference", []attribute{{"Uri", vocabularies + ns + ".xml"}}, func() {
			d.element("edmx:Include", []attribute{{"Namespace", ns}}, nil)
		})
	}
}

// describe writes a description.
func (d *csdl) describe(doc string) {
	if d.annotations && doc != "" {
		d.element("Annotation", []attribute{{"Term", coreNamespace + ".Description"}, {"String", doc}}, nil)
	}
}

// columnNotes says of a column what it is for and whether clients may write it. The value of a lookup is written through
// its navigation property alone.
func (d *csdl) columnNotes(c *schema.Column) {
	d.describe(c.Doc)
	if !d.annotations {
		return
	}
	switch {
	case !creatable(c) || c.Type == schema.TypeLookup:
		d.element("Annotation", []attribute{{"Term", coreNamespace + ".Computed"}, {"Bool", "true"}}, nil)
		d.element("Annotation", []attribute{{"Term", coreNamespace + ".Permissions"}}, func() {
			d.text("EnumMember", coreNamespace+".Permission/Read")
		})
	case c.CreateOnly:
		d.element("Annotation", []attribute{{"Term", coreNamespace + ".Immutable"}, {"Bool", "true"}}, nil)
	}
}

// setNotes says of a set whether changes can be asked for and whether it takes writes.
func (d *csdl) setNotes(t *schema.Table) {
	if !d.annotations {
		return
	}
	if t.Track {
		d.capability("ChangeTracking", "Supported", "true")
	}
	if t.ReadOnly {
		d.capability("InsertRestrictions", "Insertable", "false")
	}
	if !t.Updatable() {
		d.capability("UpdateRestrictions", "Updatable", "false")
	}
	if t.ReadOnly {
		d.capability("DeleteRestrictions", "Deletable", "false")
	}
}

func (d *csdl) capability(term, property, value string) {
	d.element("Annotation", []attribute{{"Term", capabilitiesNamespace + "." + term}}, func() {
		d.element("Record", nil, func() {
			d.element("PropertyValue", []attribute{{"Property", property}, {"Bool", value}}, nil)
		})
	})
}
