// Package console is the page of a sandbox for people, at /_mock/: what was said,
// what is held and booked, its slots as a grid, its clock, and everything that
// makes it misbehave.
//
// The page is rendered here, whole, from what is in the sandbox. Its script only
// fetches it again and puts in what has changed, so that without a script the
// page shows and does the same. Each control is a form that stands for one call
// of the control API; the page makes that call and no other, and shows the curl
// line that would.
package console

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

// Config is what a console works on.
type Config struct {
	Sandboxes *sandbox.Registry
	// API answers the control API's calls, for the sandbox of the request's context.
	API http.Handler
	// Path is where the control API lies below a sandbox, such as /_mock.
	Path string
	// Token reports that callers of the API from outside must present one.
	Token bool
}

// Console answers with pages. It is safe for concurrent use.
type Console struct{ Config }

// New returns a console.
func New(c Config) *Console { return &Console{c} }
