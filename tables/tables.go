// Package tables embeds the product's own schema: one YAML file per table and, under options/, one per global option
// set. A deployment adds to it with an overlay folder of the same shape.
package tables

import (
	"embed"
	"os"
	"sync"

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
	decls, err := schema.Load(folder, FS)
	if err != nil {
		return nil, err
	}
	if overlayDir != "" {
		if decls, err = schema.Overlay(decls, overlayDir, os.DirFS(overlayDir)); err != nil {
			return nil, err
		}
	}
	return schema.Compile(decls)
}
