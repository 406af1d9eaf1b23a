package rules

import (
	"almoner/internal/fault"
	"almoner/internal/value"
)

var contactRules = []Rule{
	{
		Name: "contact.name", Table: "contact", On: OnSave, Do: (*Books).setContactName,
		Text:    "A contact has a last or a first name, and its full name is both.",
		Example: "Ann and Lee make \"Ann Lee\"; neither is refused.",
	},
	{
		Name: "lead.name", Table: "lead", On: OnSave, Do: (*Books).setFullName,
		Text:    "A lead's full name is its first and last name.",
		Example: "Bo and Ray make \"Bo Ray\".",
	},
	{
		Name: "systemuser.name", Table: "systemuser", On: OnSave, Do: (*Books).setFullName,
		Text:    "A user's full name is its first and last name.",
		Example: "Cy and Moe make \"Cy Moe\".",
	},
}

func (b *Books) setContactName(w *Write) error {
	if w.New.Value("lastname").IsNull() && w.New.Value("firstname").IsNull() {
		return fault.Missing("contact", "contact.name", "lastname")
	}
	return b.setFullName(w)
}

func (b *Books) setFullName(w *Write) error {
	c := w.New.Table.MustColumn("fullname")
	name := fullName(w.New)
	if name == "" {
		w.New.Set(c, value.Null)
		return nil
	}
	w.New.Set(c, value.Text(cut(name, c)))
	return nil
}
