package webapi

import "testing"

func TestAddresses(t *testing.T) {
	for path, want := range map[string][2]string{
		"/api/data/v9.2/svc_gifts":               {"v9.2", "svc_gifts"},
		"//api/data/v9.2/svc_gifts":              {"v9.2", "svc_gifts"},
		"/api//data/v9.2/svc_gifts":              {"v9.2", "svc_gifts"},
		"/api/data//v9.1/svc_gifts":              {"v9.1", "svc_gifts"},
		"///api////data///v9.2//svc_gifts//":     {"v9.2", "/svc_gifts//"},
		"/api/data/v9.2":                         {"v9.2", ""},
		"/api/data/":                             {"", ""},
		"/api/data/v1/svc_gifts":                 {"v1", "svc_gifts"},
		"https://host:8080/api//data/v9.0/lists": {},
		"/api/data":                              {},
		"/api/database/v9.2":                     {},
		"/apidata/v9.2":                          {},
		"api/data/v9.2/svc_gifts":                {},
		"/x/api/data/v9.2":                       {},
		"":                                       {},
	} {
		version, resource := splitVersion(path)
		if served := want != [2]string{} || path == "/api/data/"; Serves(path) != served || version != want[0] || resource != want[1] {
			t.Errorf("%q: version %q, resource %q, served %v", path, version, resource, Serves(path))
		}
	}
	for url, want := range map[string][2]string{
		"https://host:8080/api//data/v9.0/lists": {"lists", "v9.0"},
		"//api/data//v9.2//lists(1)":             {"/lists(1)", "v9.2"},
		"/lists":                                 {"lists", ""},
		"lists":                                  {"lists", ""},
		"/api/data/v7.1/lists":                   {"v7.1/lists", ""},
	} {
		if resource, version := resourcePath(url); resource != want[0] || version != want[1] {
			t.Errorf("%q: resource %q, version %q", url, resource, version)
		}
	}
}
