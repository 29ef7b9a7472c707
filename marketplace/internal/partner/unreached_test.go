package partner_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/connection/connectiontest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
)

// The connection test, syncs, calls and the log take their texts from here.
func TestEveryWayInWhichAPartnerIsNotReachedHasItsCause(t *testing.T) {
	t.Parallel()
	for _, way := range append(connectiontest.Ways(t), connectiontest.Way{Name: "an address that is not public", Address: "http://10.9.8.7", Cause: connection.Address}) {
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, way.Address, func(c *partner.Config) {
				c.Guard = partner.GuardOf(connectiontest.Resolver, netip.MustParsePrefix("127.0.0.0/8"))
				c.Scale = partnertest.Unhurried
				if way.Cause == connection.Timeout {
					c.Scale = func(limit time.Duration) time.Duration { return limit / 500 }
				}
			})
			b.Trust(way.Roots)
			synced := b.Products(t.Context(), b.target, time.Time{}, acceptAny)
			tested := b.TryProducts(t.Context(), b.target, acceptAny)
			_, booked := b.reserve(t.Context())
			for place, told := range map[string]string{
				"sync": domain.MessageOf(partner.ForOwner(synced)), "test": domain.MessageOf(partner.ForOwner(tested.Err)), "booking": booked.Err.Error(), "log": synced.Error(),
				"call": b.observed[0].Wrong, "booking's call": b.observed[1].Wrong,
			} {
				if !strings.Contains(told, ": "+string(way.Cause)+" (") {
					t.Errorf("%s: Expected %s, received %s", place, way.Cause, told)
				}
				if strings.Contains(told, "lookup") || strings.Contains(told, "10.9.8.7") || strings.Contains(told, "dial") {
					t.Errorf("%s: Expected no address of ours, received %s", place, told)
				}
			}
			if told := domain.MessageOf(synced); strings.Contains(told, string(way.Cause)+" (") {
				t.Errorf("Expected no cause for resellers, received %s", told)
			}
		})
	}
}

func TestAnUnknownNameAndAnAddressOfOursAreNotDistinguished(t *testing.T) {
	t.Parallel()
	b := newBench(t, "http://unknown.example", func(c *partner.Config) { c.Guard = partner.GuardOf(connectiontest.Resolver) })
	unknown := b.call(t).Error()
	for _, inside := range []string{"127.0.0.1:1", "10.9.8.7", "[::1]:1"} {
		b.target.BaseURL = &url.URL{Scheme: "http", Host: inside}
		if got := b.call(t); got.Error() != unknown {
			t.Errorf("%s: Expected %s, received %s", inside, unknown, got)
		}
	}
}
