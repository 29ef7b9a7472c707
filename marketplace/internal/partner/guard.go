package partner

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"
)

// Guard refuses connections to addresses that are not public. A stranger chooses a partner's
// address, and it must not lead into our network.
type Guard struct {
	guardian *ssrf.Guardian
	resolver *net.Resolver // nil: the machine's
}

// wireServer belongs to Azure. Like metadata services it serves a machine's secrets, but its
// address looks public.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// NewGuard returns a guard. allowPrivate accepts every address, for development.
func NewGuard(allowPrivate bool) *Guard {
	if allowPrivate {
		return &Guard{}
	}
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(wireServer))}
}

const (
	dialTime  = 5 * time.Second
	keepAlive = 30 * time.Second
)

// dialer returns a dialer that checks each resolved address when it connects, because a name may
// resolve differently later.
func (g *Guard) dialer() *net.Dialer {
	d := &net.Dialer{Timeout: dialTime, KeepAlive: keepAlive, Resolver: g.resolver}
	if g.guardian != nil {
		d.Control = g.guardian.Safe
	}
	return d
}

// The rules for base URLs, as shown to the one who registers.
var (
	errBaseURL    = errors.New("base_url: expected an http or https address without user, query and fragment, such as https://partner.example/api")
	errNotPublic  = errors.New("base_url: expected a public address, not one of a private network")
	errPort       = errors.New("base_url: expected a port from 1 to 65535")
	errNumberHost = errors.New("base_url: expected a host name or an IP address in standard form")
)

// number matches hosts that some resolvers read as an IPv4 address in another notation: 2130706433,
// 0177.0.0.1, 0x7f.1.
var number = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)(\.(0[xX][0-9a-fA-F]*|[0-9]+))*\.?$`)

// longestBaseURL limits a base URL, in bytes.
const longestBaseURL = 2000

// ParseBaseURL returns the normalized form of a base URL. It refuses IP addresses that are not
// public. A host name is checked when it is dialled.
func (g *Guard) ParseBaseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || len(text) > longestBaseURL || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" ||
		base.User != nil || base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || strings.HasSuffix(text, "#") || base.Opaque != "" {
		return nil, errBaseURL
	}
	host, err := g.parseHost(base.Hostname())
	if err != nil {
		return nil, err
	}
	if base.Host, err = withPort(host, base.Port(), base.Scheme); err != nil {
		return nil, err
	}
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	return base, nil
}

// The rules for addresses of a reseller's webhooks.
var errWebhookURL = errors.New("must be an http or https URL of a public host, without user and fragment")

// CheckWebhookURL returns an error for an address that a reseller must not register for events. It
// may have a query. A host name is checked when it is dialled.
func (g *Guard) CheckWebhookURL(text string) error {
	address, err := url.Parse(text)
	if err != nil {
		return errWebhookURL // the parser's error quotes the address
	}
	address.RawQuery, address.ForceQuery = "", false
	if _, err := g.ParseBaseURL(address.String()); err != nil || strings.Contains(text, "#") || len(text) > longestBaseURL {
		return errWebhookURL
	}
	return nil
}

// DialContext returns a dial function that connects only to accepted addresses.
func (g *Guard) DialContext() func(ctx context.Context, network, address string) (net.Conn, error) {
	return g.dialer().DialContext
}

// parseHost returns a host in the form in which it is dialled. What a browser would read as an IP
// address is checked as one.
func (g *Guard) parseHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
		plain, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errBaseURL
		}
		host = plain
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if address, err := netip.ParseAddr(host); err == nil {
		if !g.isPublic(address) {
			return "", errNotPublic
		}
		return address.String(), nil
	}
	switch {
	case number.MatchString(host):
		return "", errNumberHost
	case host == "":
		return "", errBaseURL
	default:
		return host, nil
	}
}

// withPort returns the host, with its port if it is not the scheme's default.
func withPort(host, port, scheme string) (string, error) {
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", errPort
		}
		if scheme == "https" && port != "443" || scheme == "http" && port != "80" {
			return net.JoinHostPort(host, port), nil
		}
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]", nil
	}
	return host, nil
}

func (g *Guard) isPublic(address netip.Addr) bool {
	if g.guardian == nil {
		return true
	}
	network := "tcp6"
	if address.Is4() {
		network = "tcp4"
	}
	return address.Zone() == "" && g.guardian.Safe(network, netip.AddrPortFrom(address, 443).String(), nil) == nil
}
