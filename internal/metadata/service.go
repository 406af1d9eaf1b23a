// Package metadata makes everything clients discover about the service out of the model and the list of messages: the
// CSDL document behind $metadata, the metadata API (EntityDefinitions and its kin) and the OpenAPI document. It knows
// no HTTP; the layer above asks for bytes and sends them.
package metadata

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"almoner/internal/messages"
	"almoner/internal/schema"
)

// The sets of the metadata API.
const (
	rootTables         = "EntityDefinitions"
	rootRelations      = "RelationshipDefinitions"
	rootOptionSets     = "GlobalOptionSetDefinitions"
	rootManaged        = "ManagedPropertyDefinitions"
	rootManagedShorter = "ManagedProperties"
)

// Service answers what clients ask about the model. It is safe for concurrent use.
type Service struct {
	model    *schema.Model
	messages []*messages.Message
	tables   []*schema.Table // those clients may know of

	once      sync.Once
	plain     []byte
	annotated []byte
	version   string
}

// New makes the service for one frozen model and the messages that run on it.
func New(m *schema.Model, msgs []*messages.Message) *Service {
	s := &Service{model: m, messages: msgs}
	for _, t := range m.Tables {
		if !t.Hidden {
			s.tables = append(s.tables, t)
		}
	}
	return s
}

// Roots lists the first path segments that Query answers.
func (s *Service) Roots() []string {
	return []string{rootTables, rootRelations, rootOptionSets, rootManaged, rootManagedShorter, rootMessages, rootFilters}
}

// CSDL returns the $metadata document, an OData 4.0 CSDL in XML, with or without annotations. It is made once; the
// caller must not change it.
func (s *Service) CSDL(annotations bool) []byte {
	s.once.Do(s.render)
	if annotations {
		return s.annotated
	}
	return s.plain
}

// Version is a short text that changes whenever either form of the CSDL document does; it serves as their ETag.
func (s *Service) Version() string {
	s.once.Do(s.render)
	return s.version
}

func (s *Service) render() {
	s.plain = s.document(false)
	s.annotated = s.document(true)
	h := sha256.New()
	h.Write(s.plain)
	h.Write(s.annotated)
	s.version = hex.EncodeToString(h.Sum(nil)[:8])
}
