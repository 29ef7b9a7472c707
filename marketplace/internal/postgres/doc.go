// Package postgres holds all SQL of the service. A Store is a pool of connections; one
// file a noun holds what is asked of it. Every invariant that the domain states is
// also a constraint of the tables, in migrations.
//
// No function takes a second connection while it has one, and none calls anybody else
// inside a transaction: a slow partner never holds a connection.
package postgres
