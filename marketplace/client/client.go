// Package client calls a marketplace. It has a type for each role: resellers, affiliates, partners
// and operators, with the calls of that role.
//
//	shop, err := client.NewReseller("http://127.0.0.1:8080", client.APIToken(token), client.Options{})
//
//	for activity, err := range shop.Activities(client.ActivityQuery{Currency: "USD"}).All(ctx) { … }
//	slots, err := shop.Slots(ctx, client.SlotsQuery{ActivityID: …, VariationID: …, Date: "2026-07-10"})
//	held, err := shop.Book(ctx, client.Order{…, AvailabilityID: slots[0].AvailabilityID, …})
//	paid, err := shop.Pay(ctx, held.ID, "the payment provider's reference")
//
// A [Reseller] sells, an [Affiliate] refers customers, a [Partner] registers its platform,
// [Webhooks] sends that platform's webhooks to the marketplace, and an [Operator] runs the
// marketplace.
//
// An error answer of the marketplace is an [*Error] with its status, its message and the id under
// which the service logged it. A call that is safe to repeat is retried if it has no answer.
// Booking is safe to repeat, because it has an Idempotency-Key: see [Options.Patience].
//
// Amounts are exact decimals, never floats. Unknown fields of an answer are ignored.
//
// The marketplace encodes its answers from the same types. The tag wire:"null" says that the zero value of
// a field is null in an answer, and wire:"offset" that a time in UTC ends with +00:00.
package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options configure a client. The zero value is valid.
type Options struct {
	// HTTP sends the requests. If it is nil, a client with a timeout of one minute is used, longer
	// than a booking takes at the slowest partner. Redirects are never followed, because they could
	// leak the credentials.
	HTTP *http.Client
	// Patience limits the time for retries of one call. 0 means 30 seconds; a negative value
	// disables retries. A rate-limited call (429) is retried after the time in the answer. Without
	// an answer, or after a server error, only calls that are safe to repeat are retried: reads,
	// and calls with an Idempotency-Key or a payment reference.
	Patience time.Duration
	// Cache is the size in bytes of the answer cache. Cached answers are revalidated
	// with their ETags. 0 disables the cache.
	Cache int
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

const (
	// defaultPatience is shorter than a customer waits.
	defaultPatience = 30 * time.Second
	// defaultTimeout is longer than a checkout at a partner that uses all of its time: 20 s for the
	// slot and 10 s for the hold.
	defaultTimeout = time.Minute
)

// connection is an address with one credential. It is safe for concurrent use.
type connection struct {
	base        string
	http        *http.Client
	credentials authorizer
	patience    time.Duration
	cache       *cache
	now         func() time.Time
}

func connect(marketplace string, credentials Credentials, o Options) (*connection, error) {
	address, err := url.Parse(marketplace)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return nil, errors.New("marketplace: expected a URL such as https://marketplace.example.com, without user information and query")
	}
	c := &connection{base: strings.TrimRight(marketplace, "/") + "/api/v1", patience: o.Patience, cache: newCache(o.Cache), now: o.Now}
	if c.now == nil {
		c.now = time.Now
	}
	if c.patience == 0 {
		c.patience = defaultPatience
	}
	sender := http.Client{Timeout: defaultTimeout}
	if o.HTTP != nil {
		sender = *o.HTTP
	}
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &sender
	if credentials.open == nil {
		return nil, errors.New("marketplace: expected credentials: an API token, or an account's address and password")
	}
	c.credentials, err = credentials.open(c)
	return c, err
}

// account is a client that authenticates with an account's credentials.
type account struct{ c *connection }

// SignOut ends the session of a password, if there is one. The next call signs in again.
func (a *account) SignOut(ctx context.Context) error { return a.c.credentials.end(ctx) }
