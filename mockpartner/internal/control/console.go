package control

import (
	"net/http"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

func (a *api) showConsole(w http.ResponseWriter, r *http.Request) {
	a.console.Show(w, r, sandboxOf(r))
}

func (a *api) actOnConsole(w http.ResponseWriter, r *http.Request) {
	a.console.Act(w, r, sandboxOf(r))
}

// toConsole leads who forgot the slash at the console's address to it.
func toConsole(w http.ResponseWriter, r *http.Request) {
	// Not http.Redirect: it would resolve against a path without the sandbox.
	w.Header().Set("Location", sandbox.Prefix(sandboxOf(r).Name())+ConsolePath)
	w.WriteHeader(http.StatusMovedPermanently)
}
