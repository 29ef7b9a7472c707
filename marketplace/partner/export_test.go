package partner

import (
	"net"
	"net/netip"

	"code.dny.dev/ssrf"
)

// GuardOf is a guard to which these addresses are public, with a resolver of the
// test's own.
func GuardOf(resolver *net.Resolver, public ...netip.Prefix) *Guard {
	return &Guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(public...)), resolver: resolver}
}
