package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// proxies are the networks of trusted proxies. Their forwarding headers are used.
type proxies []netip.Prefix

// remote returns the address of a request's caller, in the form of RemoteAddr. The headers are read
// from the right: each proxy appends the address that called it. Everything left of the first
// address that is not a proxy's may be forged.
func (p proxies) remote(r *http.Request) string {
	if !p.haveSent(r) {
		return r.RemoteAddr
	}
	at := netip.MustParseAddrPort(r.RemoteAddr)
	usual, standard := r.Header.Values("X-Forwarded-For"), r.Header.Values("Forwarded")
	hops := hopsOf(usual, func(element string) string { return element })
	if len(standard) > 0 {
		other := hopsOf(standard, forOf)
		if len(usual) > 0 && p.clientAddress(at.Addr(), other) != p.clientAddress(at.Addr(), hops) {
			return r.RemoteAddr // a proxy writes only one of them, so the other may be forged
		}
		hops = other
	}
	if len(hops) == 0 {
		return r.RemoteAddr
	}
	return netip.AddrPortFrom(p.clientAddress(at.Addr(), hops), 0).String()
}

// haveSent reports whether a trusted proxy sent the request.
func (p proxies) haveSent(r *http.Request) bool {
	if len(p) == 0 {
		return false
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && p.trusts(at.Addr())
}

// clientAddress returns the nearest address that is not a proxy's.
func (p proxies) clientAddress(at netip.Addr, hops []string) netip.Addr {
	for _, hop := range slices.Backward(hops) {
		before, ok := addressOf(hop)
		if !ok || !p.trusts(at) {
			break
		}
		at = before
	}
	return at
}

func (p proxies) trusts(address netip.Addr) bool { return isInNetworks(p, address) }

// isInNetworks reports whether an address is in one of the networks.
func isInNetworks(networks []netip.Prefix, address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(address) })
}

// hopsOf lists the addresses in a header, nearest last.
func hopsOf(lines []string, address func(element string) string) (hops []string) {
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			hops = append(hops, address(strings.TrimSpace(element)))
		}
	}
	return hops
}

// forOf returns the address in an element of Forwarded (RFC 7239), such as
// for="[2001:db8::1]:4711";proto=https.
func forOf(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(pair), "="); strings.EqualFold(name, "for") {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// addressOf parses an address with an optional port.
func addressOf(hop string) (netip.Addr, bool) {
	host := hop
	if name, _, err := net.SplitHostPort(hop); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return address.Unmap().WithZone(""), err == nil
}

// linkTo returns the address of a path at the host that the caller used.
func linkTo(r *http.Request, secure bool, path string) string {
	address := url.URL{Scheme: "http", Host: r.Host, Path: path}
	if secure {
		address.Scheme = "https"
	}
	return address.String()
}
