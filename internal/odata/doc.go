// Package odata turns what a request says in OData into what the engine understands: a resource path, the options of a
// query string and JSON bodies become syntax (Parse), and syntax plus the schema becomes a query.Query or a query.Change
// (Bind). Parsing never looks at the model and binding never looks at text; after binding no name a client sent is left
// except inside values.
//
// The package knows nothing of HTTP: paths, query strings and bodies come in as plain strings and bytes. Everything a
// client can get wrong ends here as a *fault.Error of status 400 (or 404 for a segment that names nothing).
package odata
