// Package tables embeds the product's own schema: one YAML file per table and, under options/, one per global option
// set. A deployment adds to it with an overlay folder of the same shape.
package tables

import (
	"embed"
	"io/fs"
	"os"
	"sync"
	"testing/fstest"

	"almoner/internal/schema"
)

// FS holds the declaration files.
//
//go:embed *.yaml options/*.yaml
var FS embed.FS

// folder names the embedded files in messages.
const folder = "tables"

// Model compiles the embedded schema. It does so once; the model is frozen and may be shared.
var Model = sync.OnceValues(func() (*schema.Model, error) { return ModelWith("") })

// ModelWith compiles the embedded schema with a deployment's overlay folder merged in; "" means none. A mistake in the
// overlay comes back as schema.Problems, all at once.
func ModelWith(overlayDir string) (*schema.Model, error) {
	if overlayDir == "" {
		return modelWith("", nil)
	}
	return modelWith(overlayDir, os.DirFS(overlayDir))
}

// ModelFrom compiles the product's tables with overlay files given by path and text, as a database keeps them. name stands for them in
// messages.
func ModelFrom(name string, files map[string]string) (*schema.Model, error) {
	overlay := fstest.MapFS{}
	for path, text := range files {
		overlay[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return modelWith(name, overlay)
}

func modelWith(name string, overlay fs.FS) (*schema.Model, error) {
	decls, err := schema.Load(folder, FS)
	if err != nil {
		return nil, err
	}
	if overlay != nil {
		if decls, err = schema.Overlay(decls, name, overlay); err != nil {
			return nil, err
		}
	}
	return schema.Compile(decls)
}
