package servicetest_test

import (
	"testing"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/servicetest"
)

// storedSetting reads a row of the table of settings; "" when there is none.
func storedSetting(t *testing.T, s *servicetest.Server, name string) string {
	t.Helper()
	table := s.Service.Engine.Model().Table("setting")
	root := &query.Link{Table: table}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{table.MustColumn("name"), table.MustColumn("value")})}
	rows, err := s.Store.Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if string(rows.Bytes(0)) == name {
			return string(rows.Bytes(1))
		}
	}
	return ""
}
