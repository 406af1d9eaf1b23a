package webapi

import "strings"

// headers are the headers of one answer, as they are spelled on the wire. An answer has a handful, so a list serves better than a map.
type headers []header

type header struct {
	Name  string `json:"n"`
	Value string `json:"v"`
}

// Set gives a header its one value.
func (h *headers) Set(name, value string) {
	for i := range *h {
		if strings.EqualFold((*h)[i].Name, name) {
			(*h)[i].Value = value
			return
		}
	}
	*h = append(*h, header{name, value})
}

// Add appends a value to a header, which may have some already.
func (h *headers) Add(name, value string) { *h = append(*h, header{name, value}) }

// Get returns the first value of a header; "" when it has none.
func (h headers) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Del takes the values of a header away.
func (h *headers) Del(name string) {
	kept := (*h)[:0]
	for _, one := range *h {
		if !strings.EqualFold(one.Name, name) {
			kept = append(kept, one)
		}
	}
	*h = kept
}
