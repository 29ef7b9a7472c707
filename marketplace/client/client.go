// Package client calls a marketplace: for the shop of a reseller, for an affiliate, for
// a partner and its platform, for who operates the marketplace. There is a type for each
// of them, with the calls that are theirs.
//
//	shop, err := client.NewReseller("http://127.0.0.1:8080", client.APIToken(token), client.Options{})
//
//	for activity, err := range shop.Activities(client.ActivityQuery{Currency: "USD"}).All(ctx) { … }
//	slots, err := shop.Slots(ctx, client.SlotsQuery{ActivityID: …, VariationID: …, Date: "2026-07-10"})
//	held, err := shop.Book(ctx, client.Order{…, AvailabilityID: slots[0].AvailabilityID, …})
//	paid, err := shop.Pay(ctx, held.ID, "the payment provider's reference")
//
// A [Reseller] sells, an [Affiliate] refers customers, a [Partner] registers its
// platform, [Webhooks] are what that platform tells the marketplace, an [Operator] runs
// the marketplace.
//
// What goes wrong at the marketplace's end is an [*Error], with its status, its words and
// the id under which it is in the service's log. A call that can do no harm twice is made
// again where it has no answer; booking is one of them, since its Idempotency-Key goes
// with it: see [Options.Patience].
//
// Amounts are exact decimals, never floats; what an answer has that this package does not
// know is ignored.
package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say how a client behaves. All of them may be left out.
type Options struct {
	// HTTP sends the requests. Nil is a client that waits a minute for an answer: longer
	// than a booking takes at the slowest partner. Redirects are never followed, for the
	// credentials' sake.
	HTTP *http.Client
	// Patience is how long a call may go on to be made again; 0 means half a minute, less
	// than 0 that no call is made twice. Made again is what was turned away for its
	// number (429), after the time that the answer names; and, where there was no answer,
	// or one of a server in trouble, what can do no harm twice: reads, and what has an
	// Idempotency-Key or a payment's reference.
	Patience time.Duration
	// Cache is the size in bytes of the answer cache. Cached answers are revalidated
	// with their ETags. 0 disables the cache.
	Cache int
	// Now is the time; nil is time.Now.
	Now func() time.Time
}

const (
	// defaultPatience is less than a customer has.
	defaultPatience = 30 * time.Second
	// defaultTimeout is above what a checkout takes where the partner takes all of its
	// time: 20 s for the slot and 10 for the hold.
	defaultTimeout = time.Minute
)

// connection is the way to a marketplace with one credential. It is safe for concurrent
// use.
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

// account is a client that comes in with an account's credentials.
type account struct{ c *connection }

// SignOut ends the sign-in of a password, if there is one. The next call makes another.
func (a *account) SignOut(ctx context.Context) error { return a.c.credentials.end(ctx) }
