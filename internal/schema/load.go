package schema

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Bounds of what Load reads: a folder of declarations is small, and a wrong folder must not fill the memory.
const (
	maxFileBytes = 1 << 20
	maxFiles     = 2000
)

var linePattern = regexp.MustCompile(`line (\d{1,9})`)

// Load reads every .yaml file of a folder tree, in order of path. Each file declares one table or one global option
// set. The name stands for the folder in messages. The error, if any, is Problems and holds all mistakes at once.
func Load(name string, fsys fs.FS) (*Declarations, error) {
	var problems Problems
	decls := load(name, fsys, &problems)
	if err := problems.err(); err != nil {
		return nil, err
	}
	return decls, nil
}

func load(name string, fsys fs.FS, problems *Problems) *Declarations {
	decls := &Declarations{}
	for _, file := range findFiles(name, fsys, problems) {
		src := &source{file: path.Join(name, file), problems: problems}
		text, err := readFile(fsys, file)
		if err != nil {
			problems.add(Position{File: src.file, Line: 1}, "%v", err)
			continue
		}
		decls.read(src, text)
	}
	return decls
}

func findFiles(name string, fsys fs.FS, problems *Problems) []string {
	var files []string
	err := fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() || !strings.HasSuffix(file, ".yaml"):
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d files", maxFiles)
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		problems.add(Position{File: name, Line: 1}, "the folder cannot be read: %v", err)
	}
	return files
}

func readFile(fsys fs.FS, file string) ([]byte, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("the file is larger than %d bytes", maxFileBytes)
	}
	return text, err
}

// read adds the one declaration of a file.
func (d *Declarations) read(src *source, text []byte) {
	root, ok := src.document(text)
	if !ok {
		return
	}
	switch first := firstKey(root); first {
	case "table":
		d.tables = append(d.tables, src.table(root))
	case "optionset":
		d.sets = append(d.sets, src.optionSet(root))
	default:
		src.fail(root, "a file begins with table: or optionset:, this one with %q", first)
	}
}

// document parses a file that must hold exactly one mapping.
func (s *source) document(text []byte) (*yaml.Node, bool) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	start := Position{File: s.file, Line: 1}
	if err := dec.Decode(&doc); err != nil {
		s.problems.add(Position{File: s.file, Line: lineOf(err)}, "not YAML: %v", err)
		return nil, false
	}
	if err := dec.Decode(&more); err != io.EOF {
		s.problems.add(start, "the file holds more than one document")
		return nil, false
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		s.problems.add(start, "the file must be a mapping")
		return nil, false
	}
	return doc.Content[0], true
}

// lineOf finds the line a YAML error speaks of; 1 when it names none.
func lineOf(err error) int {
	m := linePattern.FindStringSubmatch(err.Error())
	if m == nil {
		return 1
	}
	line, _ := strconv.Atoi(m[1])
	return line
}

func firstKey(root *yaml.Node) string {
	if len(root.Content) == 0 {
		return ""
	}
	return root.Content[0].Value
}
