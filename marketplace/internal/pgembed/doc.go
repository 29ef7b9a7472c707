// Package pgembed runs a private PostgreSQL for a service that was given no
// database: from the machine's own binaries, or downloaded ones, in a folder of the
// service's, on a Unix socket that nobody else can open.
//
// Start takes the folder's lock before anything else, so that two services never
// share it, ends a server that a killed service left behind, makes the database the
// first time, and returns when it can be used. Stop ends the server; the data stays.
//
// PostgreSQL refuses to run as root. A service that does has it run as "postgres",
// or "nobody" where there is no such user.
package pgembed
