package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Given is one setting as a source gave it: At says where (a file and line, a variable, a flag), for messages.
type Given struct{ Name, Text, At string }

// maxFile bounds a configuration file.
const maxFile = 1 << 20

// FromYAML reads a configuration file: mappings nested by the dots of the setting names. An unknown or repeated key is
// refused with file and line. Values are not looked at yet; Apply does that.
func FromYAML(file string, r io.Reader) ([]Given, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", file, maxFile)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil // an empty file
	}
	reader := yamlReader{file: file}
	reader.mapping(doc.Content[0], "")
	return reader.out, errors.Join(reader.problems...)
}

// yamlReader walks the nodes of one configuration file.
type yamlReader struct {
	file     string
	out      []Given
	problems []error
}

func (y *yamlReader) fail(n *yaml.Node, format string, args ...any) {
	y.problems = append(y.problems, fmt.Errorf("%s: %s", y.at(n), fmt.Sprintf(format, args...)))
}

func (y *yamlReader) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", y.file, n.Line) }

func (y *yamlReader) mapping(n *yaml.Node, prefix string) {
	if n.Kind != yaml.MappingNode {
		y.fail(n, "settings are wanted here, as name: value")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		name := prefix + key.Value
		switch {
		case seen[name]:
			y.fail(key, "%q is given twice", name)
		case byName[name] != nil:
			y.value(name, val)
		case isGroup(name) && val.Kind == yaml.MappingNode:
			y.mapping(val, name+".")
		default:
			y.fail(key, "%v", unknown(name))
		}
		seen[name] = true
	}
}

func (y *yamlReader) value(name string, n *yaml.Node) {
	text, err := nodeText(n)
	if err != nil {
		y.fail(n, "setting %s: %v", name, err)
		return
	}
	y.out = append(y.out, Given{name, text, y.at(n)})
}

// nodeText prints a YAML value in the form Set takes: a plain value as it is, a list of plain values with commas, a list
// of mappings as JSON.
func nodeText(n *yaml.Node) (string, error) {
	if n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	if n.Kind != yaml.SequenceNode {
		return "", errors.New("a value or a list is wanted")
	}
	var parts []string
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			return jsonText(n)
		}
		parts = append(parts, item.Value)
	}
	return strings.Join(parts, ","), nil
}

func jsonText(n *yaml.Node) (string, error) {
	var list []map[string]string
	if err := n.Decode(&list); err != nil {
		return "", errors.New("a list of plain mappings is wanted")
	}
	text, err := json.Marshal(list)
	return string(text), err
}

// isGroup tells whether settings begin with the name and a dot.
func isGroup(name string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return strings.HasPrefix(e.name, name+".") })
}

// envPrefix begins the names of all environment variables of the service.
const envPrefix = "ALMONER_"

// EnvName returns the environment variable of a setting: ALMONER_YEAR_START_MONTH for year.start_month.
func EnvName(name string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
}

// FromEnv picks the settings out of an environment as os.Environ gives it. Other variables are passed over.
func FromEnv(environ []string) []Given {
	vars := map[string]string{}
	for _, kv := range environ {
		if name, val, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(name, envPrefix) {
			vars[name] = val
		}
	}
	var out []Given
	for _, name := range Names() {
		if val, ok := vars[EnvName(name)]; ok {
			out = append(out, Given{name, val, EnvName(name)})
		}
	}
	return out
}

// FromFlags reads settings given as name=value on the command line.
func FromFlags(args []string) ([]Given, error) {
	var out []Given
	for _, arg := range args {
		name, val, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not a setting as name=value", arg)
		}
		out = append(out, Given{strings.TrimSpace(name), val, "--set " + name})
	}
	return out, nil
}

// FromStored makes the source of the settings found in the database. Names this program does not know (an older or newer
// one wrote them) and settings of a process are passed over.
func FromStored(stored map[string]string) []Given {
	var out []Given
	for _, name := range Business() {
		if val, ok := stored[name]; ok {
			out = append(out, Given{name, val, "database"})
		}
	}
	return out
}

// Resolve applies sources over the defaults, weakest first: stored, file, environment, flags. The error names every
// setting that cannot be taken and where it came from.
func Resolve(weakestFirst ...[]Given) (*Settings, error) {
	s := Default()
	var problems []error
	for _, source := range weakestFirst {
		for _, g := range source {
			if err := s.Set(g.Name, g.Text); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", g.At, err))
			}
		}
	}
	if err := s.check(); err != nil {
		problems = append(problems, err)
	}
	return s, errors.Join(problems...)
}

// check looks at settings that must fit each other.
func (s *Settings) check() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("settings tls.cert and tls.key go together: one of them is missing")
	}
	return nil
}
