package sqlgen

import (
	"testing"

	"almoner/internal/value"
)

func TestTemplateFillsEverySlot(t *testing.T) {
	a, b, fixed := value.GUID{1}, value.GUID{2}, value.GUID{3}
	statements := []Statement{{SQL: "x", Args: []Arg{
		{Value: value.ID(a)}, {Value: value.Int(7)}, {IDs: []value.GUID{fixed, b, a}},
	}}}
	tmpl, err := findSlots(statements, []value.GUID{a, b})
	if err != nil {
		t.Fatal(err)
	}
	x, y := value.GUID{8}, value.GUID{9}
	got := tmpl.Fill([]value.GUID{x, y})[0].Args
	if got[0].Value.ID() != x || got[1].Value.Int() != 7 || got[2].IDs[0] != fixed || got[2].IDs[1] != y || got[2].IDs[2] != x {
		t.Errorf("filled %v", got)
	}
	if statements[0].Args[0].Value.ID() != a || statements[0].Args[2].IDs[1] != b {
		t.Error("filling changed the template")
	}
	if _, err := findSlots(statements, []value.GUID{{4}}); err == nil {
		t.Error("a slot that is no parameter is accepted")
	}
}
