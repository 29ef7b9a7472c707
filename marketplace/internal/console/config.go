package console

import (
	"log/slog"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
)

// root is the path of the operators' console, and portalRoot that of the partners' portal.
const (
	root       = "/console"
	portalRoot = "/partners"
)

// Config configures the pages.
type Config struct {
	SignIn *auth.Service
	Secret *auth.Secret
	Secure bool // browsers use HTTPS, so cookies are sent only over HTTPS
	Suite  bool // the service has the conformance command
	Now    func() time.Time
	Log    *slog.Logger

	Stopping <-chan struct{} `part:"optional"` // closed when pages are no longer followed; nil: never
	Stream   time.Duration   // how long a browser follows a page before it connects again; 0: the default
}

// console is shared by all requests.
type console struct {
	Config
	api   http.Handler
	notes *auth.Sealer

	follows chan struct{} // one for each page that is followed
}
