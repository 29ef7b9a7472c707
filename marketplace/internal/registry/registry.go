// Package registry shows the certified partners that are in the public registry: as a page, and each with a
// badge. Neither needs a script, and both can be cached.
package registry

import (
	"time"

	"github.com/google/uuid"
)

// Entry is an integration in the registry, with what its certificate states.
type Entry struct {
	Integration     uuid.UUID
	Name, BaseURL   string
	ContractVersion string
	IssuedAt        time.Time
	ValidUntil      time.Time
	Certificate     string // the signed statement; "": it is not valid any more
}

// Query selects entries with a valid certificate, in the order of their names.
type Query struct {
	Name  string    // the name, ignoring case; "": any
	Words string    // a part of the name, ignoring case; "": any
	After uuid.UUID // the last entry of the previous page; zero: the first page
	Size  int       // of the page, in entries
}

// BadgePath returns the path of an integration's badge, below the marketplace's address.
func BadgePath(integration string) string { return "/registry/" + integration + "/badge.svg" }
