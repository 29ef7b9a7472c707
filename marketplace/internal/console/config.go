package console

import (
	"log/slog"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
)

// root is where the operators' console lies, and portalRoot the partners' portal.
const (
	root       = "/console"
	portalRoot = "/partners"
)

// Config is what the pages are made of. Every field is required.
type Config struct {
	SignIn *auth.Service
	Secret *auth.Secret
	Secure bool // browsers come by https: the cookies are for https alone
	Now    func() time.Time
	Log    *slog.Logger
}

// console is what all requests share.
type console struct {
	Config
	api   http.Handler
	notes *auth.Sealer
}
