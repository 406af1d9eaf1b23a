// Package storetest holds the suite every store must pass, and a vote between stores and a naive evaluator: random rows
// and random query trees, answered by all of them, must come out the same to the byte.
package storetest

import (
	"sync"
	"testing"
	"testing/fstest"

	"almoner/internal/schema"
	"almoner/tables"
)

// The tables of the suite: items with a column of every type, and groups they belong to.
const itemTable = `
table: tst_item
set: tst_items
label: Item
owner: organization
title: tst_name
indexes:
  - [tst_group, tst_count]
columns:
  tst_name: {type: string, max: 200, index: true}
  tst_note: {type: string, max: 200}
  tst_memo: {type: memo, max: 100000}
  tst_count: {type: integer, index: true}
  tst_big: {type: bigint}
  tst_amount: {type: money}
  tst_rate: {type: decimal, scale: 10, low: -1000000, high: 899999999}
  tst_ratio: {type: decimal, scale: 3}
  tst_weight: {type: float}
  tst_flag: {type: boolean, default: none}
  tst_kind: {type: choice, options: {1: Zebra, 2: Émile, 3: apple, 4: Mango, 5: APPLE}}
  tst_kinds: {type: multichoice, options: {1: One, 2: Two, 12: Twelve, 21: Twenty One}}
  tst_day: {type: date, index: true}
  tst_moment: {type: datetime, index: true}
  tst_token: {type: guid}
  tst_group: {type: lookup, to: tst_group}
  tst_parent: {type: lookup, to: tst_item, hierarchical: true}
  tst_about: {type: lookup, to: [tst_item, tst_group]}
`

const groupTable = `
table: tst_group
set: tst_groups
label: Group
owner: organization
title: tst_title
columns:
  tst_title: {type: string, max: 200, index: true}
  tst_limit: {type: money}
  tst_since: {type: date}
`

// Model is the product's model with the tables of the suite added; it is compiled once.
func Model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var model = sync.OnceValues(func() (*schema.Model, error) {
	decls, err := schema.Load("tables", tables.FS)
	if err != nil {
		return nil, err
	}
	files := fstest.MapFS{
		"tst_group.yaml": {Data: []byte(groupTable)},
		"tst_item.yaml":  {Data: []byte(itemTable)},
	}
	if decls, err = schema.Overlay(decls, "storetest", files); err != nil {
		return nil, err
	}
	return schema.Compile(decls)
})
