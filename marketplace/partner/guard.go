package partner

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Guard keeps calls from addresses that are not public: a partner's address is a
// stranger's choice, and must not lead into our own network.
type Guard struct{ guardian *ssrf.Guardian }

// NewGuard returns a guard; allowPrivate lets every address pass, for development.
func NewGuard(allowPrivate bool) *Guard {
	if allowPrivate {
		return &Guard{}
	}
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort())}
}

const (
	dialTime  = 5 * time.Second
	keepAlive = 30 * time.Second
)

// dialer looks at every address that a name has led to, at the moment when it is
// dialled: a name may lead elsewhere than it did before.
func (g *Guard) dialer() *net.Dialer {
	d := &net.Dialer{Timeout: dialTime, KeepAlive: keepAlive}
	if g.guardian != nil {
		d.Control = g.guardian.Safe
	}
	return d
}

// What a base URL may be, for the one who registered it.
var (
	errBaseURL    = errors.New("base_url: want an http or https address without user, query and fragment, such as https://partner.example/api")
	errNotPublic  = errors.New("base_url: want a public address, not one of a private network")
	errNumberHost = errors.New("base_url: want a name, or an IP address in its usual form")
)

// number is a host that some resolvers take for an IPv4 address in other clothes:
// 2130706433, 0177.0.0.1, 0x7f.1.
var number = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+))*\.?$`)

// longestBaseURL bounds a base URL, in bytes.
const longestBaseURL = 2000

// ParseBaseURL returns the address that a partner registers, in one form for all ways
// to write it. An IP address that is not public is refused; a name is looked at when
// it is dialled.
func (g *Guard) ParseBaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || len(text) > longestBaseURL || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" ||
		base.User != nil || base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || strings.HasSuffix(text, "#") || base.Opaque != "" {
		return nil, errBaseURL
	}
	host := strings.ToLower(base.Hostname())
	if address, err := netip.ParseAddr(host); err == nil {
		if !g.public(address) {
			return nil, errNotPublic
		}
	} else if number.MatchString(host) {
		return nil, errNumberHost
	}
	base.Host = strings.ToLower(base.Host)
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	return base, nil
}

func (g *Guard) public(address netip.Addr) bool {
	if g.guardian == nil {
		return true
	}
	network := "tcp6"
	if address.Is4() {
		network = "tcp4"
	}
	return address.Zone() == "" && g.guardian.Safe(network, netip.AddrPortFrom(address, 443).String(), nil) == nil
}

// prohibited reports whether a call was kept from its address by the guard.
func prohibited(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork) || errors.Is(err, ssrf.ErrProhibitedPort)
}
