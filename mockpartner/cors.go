package mockpartner

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightAge is how long browsers may keep the answer to a preflight request.
const preflightAge = 10 * time.Minute

// allowOrigins returns what lets pages of these origins call the partner endpoints from a browser,
// or nil if there are none.
func allowOrigins(origins []string) (*cors.Cors, error) {
	if len(origins) == 0 {
		return nil, nil // the library would allow all
	}
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, err
		}
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete},
		AllowedHeaders: []string{"Accept", "Authorization", "Content-Type"},
		ExposedHeaders: []string{"Retry-After", "WWW-Authenticate"},
		MaxAge:         int(preflightAge.Seconds()),
	}), nil
}

// checkOrigin accepts * and an origin in the form in which browsers send it.
func checkOrigin(origin string) error {
	if origin == "*" {
		return nil
	}
	parsed, err := url.Parse(origin)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Hostname() == "" || strings.ContainsAny(origin, "* \t") {
		return fmt.Errorf("expected * or an origin such as http://localhost:3000, received %q", origin)
	}
	host := strings.ToLower(parsed.Host)
	switch parsed.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	if sent := parsed.Scheme + "://" + host; sent != origin {
		return fmt.Errorf("a browser sends %q as %s: expected that", origin, sent)
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r > 0x7e }) {
		return fmt.Errorf("expected the host of %q as browsers send it, beginning with xn--", origin)
	}
	return nil
}
