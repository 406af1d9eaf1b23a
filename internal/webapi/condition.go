package webapi

import (
	"net/http"
	"strconv"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
)

// conditions are what If-Match and If-None-Match demand of a write.
type conditions struct {
	versions  query.Versions // If-Match with tags
	mustExist bool           // any If-Match
	onlyNew   bool           // If-None-Match: *
}

// parseConditions reads the conditional headers. The word null, which many clients send, means no condition.
func parseConditions(h http.Header) (conditions, error) {
	var c conditions
	match, noneMatch := h.Get("If-Match"), h.Get("If-None-Match")
	c.onlyNew = noneMatch == "*"
	if match == "" || match == "null" {
		return c, nil
	}
	if c.onlyNew {
		return c, fault.New(fault.BadRequest, "If-Match and If-None-Match: * cannot be sent together.")
	}
	c.mustExist = true
	tags, any, err := parseTags(match)
	if err != nil {
		return c, err
	}
	if !any {
		c.versions = tags
	}
	return c, nil
}

// parseTags reads a list of entity tags, W/"n" or "n"; any is set for *.
func parseTags(header string) (tags query.Versions, any bool, err error) {
	for _, tag := range strings.Split(header, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" {
			return nil, true, nil
		}
		text := strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, false, fault.New(fault.BadRequest, "The entity tag %s is not valid.", tag)
		}
		tags = append(tags, n)
	}
	return tags, false, nil
}
