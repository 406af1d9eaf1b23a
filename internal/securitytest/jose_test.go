package securitytest

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
)

// order is something asked of the other implementation of signed tokens; testdata/jose.mjs says what there is.
type order map[string]any

// keyPair is a key pair as JSON Web Keys.
type keyPair struct{ Private, Public map[string]any }

// named is the public key with a key id.
func (k keyPair) named(kid string) map[string]any {
	out := map[string]any{"kid": kid}
	for name, v := range k.Public {
		out[name] = v
	}
	return out
}

// node runs orders in Node and reads their results into the given places.
func node(t *testing.T, orders []order, results ...any) {
	t.Helper()
	cmd := exec.Command("node", "testdata/jose.mjs")
	cmd.Stdin = bytes.NewReader([]byte(text(orders)))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node (needed to compare tokens with another implementation): %v\n%s", err, stderr.String())
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(out, &raw); err != nil || len(raw) != len(results) {
		t.Fatalf("node answered %s: %v", out, err)
	}
	for i := range raw {
		if err := json.Unmarshal(raw[i], results[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// newKeys makes a key pair of each algorithm.
func newKeys(t *testing.T, algorithms ...string) []keyPair {
	t.Helper()
	out := make([]keyPair, len(algorithms))
	var orders []order
	var results []any
	for i, alg := range algorithms {
		orders = append(orders, order{"do": "keys", "alg": alg})
		results = append(results, &out[i])
	}
	node(t, orders, results...)
	return out
}

// signAll makes the tokens of some orders.
func signAll(t *testing.T, orders []order) []string {
	t.Helper()
	out := make([]string, len(orders))
	var results []any
	for i := range orders {
		orders[i]["do"] = "sign"
		results = append(results, &out[i])
	}
	node(t, orders, results...)
	return out
}
