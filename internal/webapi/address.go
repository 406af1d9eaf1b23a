package webapi

import "strings"

// apiPrefix is where the Web API lives, before its version.
const apiPrefix = "/api/data/"

// versions are the API versions served; they behave alike.
var versions = map[string]bool{"v9.0": true, "v9.1": true, "v9.2": true}

// Serves tells whether a path leads to the Web API. Clients that put addresses together double the slashes in them, so any number of
// slashes is as good as one.
func Serves(path string) bool {
	_, ok := underPrefix(path)
	return ok
}

// underPrefix takes apiPrefix off a path, whatever the number of its slashes.
func underPrefix(path string) (rest string, ok bool) {
	for _, name := range strings.Split(strings.Trim(apiPrefix, "/"), "/") {
		rooted := strings.HasPrefix(path, "/")
		if path, ok = strings.CutPrefix(strings.TrimLeft(path, "/"), name); !ok || !rooted {
			return "", false
		}
	}
	if !strings.HasPrefix(path, "/") {
		return "", false
	}
	return strings.TrimLeft(path, "/"), true
}

// splitVersion cuts a path of the Web API into its version and the path of the resource.
func splitVersion(path string) (version, resource string) {
	rest, _ := underPrefix(path)
	version, resource, _ = strings.Cut(rest, "/")
	return version, resource
}

// resourcePath takes the service's own address off a URL, in any of the forms clients write it, and tells the version it names. A
// version that is not served stays in the path, where it names nothing.
func resourcePath(path string) (resource, version string) {
	if i := strings.Index(path, "://"); i >= 0 {
		if j := strings.IndexByte(path[i+3:], '/'); j >= 0 {
			path = path[i+3+j:]
		}
	}
	rest, rooted := underPrefix(path)
	if !rooted {
		return strings.TrimPrefix(path, "/"), ""
	}
	if version, resource, _ = strings.Cut(rest, "/"); !versions[version] {
		return rest, ""
	}
	return resource, version
}
