// Package securitytest proves who may do what, and how much, over the wire: every right on every table, every depth, queries that
// must not leak, tokens and their forgeries, protection limits, impersonation and the bounds of hostile input. The service runs in
// the test's process, on both stores. It holds tests only.
package securitytest
