package suite

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// DefaultMaxDuration is how long a run may take before it stops judging further rules.
const DefaultMaxDuration = 150 * time.Second

const (
	// MostLifecycles is the maximum number of random lifecycles of a run.
	MostLifecycles = 1000
	// LargestSeed is the largest seed. Every JSON reader represents it exactly.
	LargestSeed = 1<<53 - 1
)

// Config is the partner to judge, and how to judge it.
type Config struct {
	BaseURL               *url.URL
	AuthType              partnerapi.AuthType // "": bearer
	AuthKey               string
	HandlesTicketDelivery bool                                                                 // the partner is registered as delivering its own tickets
	ClockURL              string                                                               // "": the target's clock cannot be moved
	IncludeSlow           bool                                                                 // wait for holds to expire if the clock cannot be moved; else only holds that expire within a minute are waited for
	RootCAs               *x509.CertPool                                                       // nil: the system's certificates
	ClientCertificate     *tls.Certificate                                                     // sent to a partner that asks for one; nil: none
	PublicOnly            bool                                                                 // never call an address that is not public, whatever name resolves to it
	Dial                  func(ctx context.Context, network, address string) (net.Conn, error) // how to connect to the partner; nil: over the network
	MaxDuration           time.Duration                                                        // 0: DefaultMaxDuration; waiting for holds and undoing holds and bookings are added to it
	LabelFilter           string                                                               // Ginkgo's label filter over rule ids, levels and endpoints; "": all
	Rules                 []string                                                             // rule ids: judge only these, if LabelFilter also selects them; nil: all
	FailFast              bool                                                                 // stop judging after the first failed MUST rule
	Baseline              *baseline.Baseline
	Strict                bool           // an inconclusive rule makes the verdict incomplete
	NoBadInput            bool           // send no malformed input, and skip the rules about it
	NoRaces               bool           // send no concurrent calls, and skip the rules about them
	Bounds                Bounds         // limits on what the run does to the platform
	Depth                 string         // quick, standard or thorough; "": standard. Sets how many products, slots, parties and orders of calls the rules are judged on
	Explore               int            // number of random lifecycles to play, at most MostLifecycles
	Seed                  uint64         // of the first random lifecycle; each further one has the next seed; 0: 1
	Ledger                *ledger.Ledger // records all holds and bookings; nil: one in memory only
	LimitScale            float64        // factor for the contract's limits, for the suite's own tests; 0: 1
	Webhooks              *Webhooks      // receive and judge the partner's webhooks; nil: they are not judged
	Version               string         // of the suite, for the report and the User-Agent
	Progress              func(report.RuleResult)
	Estimating            func(Estimate)        // called when the catalog and the slots were read
	Waiting               func(until time.Time) // called before the run waits for holds to expire
	Listening             func(url string)      // called when webhooks are received, with the integration's address
}

// Check returns what is wrong with the configuration, or nil.
func (c Config) Check() error {
	switch {
	case c.BaseURL == nil:
		return errors.New("the base URL is missing: expected the partner's address")
	case c.AuthKey == "":
		return errors.New("the key is missing: expected the one that the partner registered")
	case c.Explore < 0 || c.Explore > MostLifecycles:
		return fmt.Errorf("--explore %d: expected from 0 to %d", c.Explore, MostLifecycles)
	case c.Seed > LargestSeed:
		return fmt.Errorf("--seed %d: expected at most %d", c.Seed, uint64(LargestSeed))
	}
	if err := c.Bounds.check(time.Now(), c.ClockURL != ""); err != nil {
		return err
	}
	if err := c.Webhooks.check(); err != nil {
		return err
	}
	if _, err := plan.ParseDepth(c.Depth); err != nil {
		return fmt.Errorf("--depth: %w", err)
	}
	_, err := plan.Choose(c.LabelFilter, c.Rules)
	return err
}

// Redactor returns what removes the partner's key and its webhook secret from texts.
func (c Config) Redactor() *probe.Redactor { return probe.NewRedactor(c.AuthKey, c.Webhooks.secret()) }

// RuleIDs returns the ids of the rules that a run judges, in the order of the catalogue.
func (c Config) RuleIDs() (ids []string) {
	chosen, err := plan.Choose(c.LabelFilter, c.Rules)
	if err != nil {
		return nil // Check says why
	}
	for _, r := range rule.All() {
		if chosen.Judged[r.ID] {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func (c Config) withDefaults() Config {
	c.AuthType = cmp.Or(c.AuthType, partnerapi.Bearer)
	c.MaxDuration = cmp.Or(c.MaxDuration, DefaultMaxDuration)
	c.Seed, c.Depth = cmp.Or(c.Seed, 1), cmp.Or(c.Depth, string(plan.Standard))
	c.Bounds = c.Bounds.withDefaults(plan.Depth(c.Depth), c.Explore)
	c.LimitScale = cmp.Or(c.LimitScale, 1)
	c.Version = cmp.Or(c.Version, "devel")
	if c.Ledger == nil {
		c.Ledger = ledger.New()
	}
	if c.Progress == nil {
		c.Progress = func(report.RuleResult) {}
	}
	if c.Estimating == nil {
		c.Estimating = func(Estimate) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(time.Time) {}
	}
	if c.Listening == nil {
		c.Listening = func(string) {}
	}
	return c
}

// The default bounds of a run. Races are repeated until few breaches are missed: they make about
// 430 holds and 105 bookings, each of which is undone within a second. A thorough run may make
// ThoroughTimes as many.
const (
	DefaultMaxHolds    = 1000
	DefaultMaxBookings = 300
	ThoroughTimes      = 3
)

// Bounds limits what a run may do to a platform in use. The zero value gives the run all that it
// needs.
type Bounds struct {
	ReadOnly    bool // hold and book nothing: judge only the catalog and availability
	MaxHolds    *int // in total; nil: the default
	MaxBookings *int // in total, if the partner books a code only once; nil: the default
	MaxRPS      int  // calls per second, including concurrent ones; 0: no limit

	Products, Options []string // ids: request availability and book only for these; nil: all
	From, To          string   // dates, both inclusive: request no slots outside; "": today and 60 days after it
}

// check returns what is wrong with the bounds at now, or nil. The errors name the command-line
// flags.
func (b Bounds) check(now time.Time, clockMoves bool) error {
	for _, count := range []struct {
		flag string
		n    *int
	}{{"--max-holds", b.MaxHolds}, {"--max-bookings", b.MaxBookings}} {
		if count.n != nil && *count.n < 0 {
			return fmt.Errorf("%s %d: expected 0 or more", count.flag, *count.n)
		}
	}
	if b.MaxRPS < 0 {
		return fmt.Errorf("--max-rps %d: expected 1 or more calls a second", b.MaxRPS)
	}
	for _, ids := range []struct {
		flag string
		list []string
	}{{"--product", b.Products}, {"--option", b.Options}} {
		if ids.list != nil && len(ids.list) == 0 || slices.Contains(ids.list, "") {
			return fmt.Errorf("%s names nothing: expected ids as in the catalog, with commas between", ids.flag)
		}
	}
	return b.checkDates(now, clockMoves)
}

// checkDates checks the dates. The time zones of the products are not known yet, nor the target's
// time if it has its own clock.
func (b Bounds) checkDates(now time.Time, clockMoves bool) error {
	for _, date := range []struct{ flag, text string }{{"--from", b.From}, {"--to", b.To}} {
		if date.text == "" {
			continue
		}
		if _, err := time.Parse(partnerapi.DateLayout, date.text); err != nil {
			return fmt.Errorf("%s %q: expected a date such as %s", date.flag, date.text, now.Format(partnerapi.DateLayout))
		}
		west, east := time.FixedZone("", -12*3600), time.FixedZone("", 14*3600)
		first, last := discover.Lookahead(now, west).From, discover.Lookahead(now, east).To
		if !clockMoves && (date.text < first || date.text > last) {
			return fmt.Errorf("%s %s: expected a date within today and the %d days after it", date.flag, date.text, partnerapi.LookaheadDays)
		}
	}
	if b.From != "" && b.To != "" && b.From > b.To {
		return fmt.Errorf("--from %s is after --to %s", b.From, b.To)
	}
	return nil
}

// withDefaults sets missing bounds to the defaults, raised by what the depth and random lifecycles
// may hold and book. That includes the lifecycles that are played to shorten one.
func (b Bounds) withDefaults(depth plan.Depth, lifecycles int) Bounds {
	times, more := 1, 0
	if depth == plan.Thorough {
		times = ThoroughTimes
	}
	if lifecycles > 0 {
		more = mostOfALifecycle * (lifecycles + explore.MostTries)
	}
	b.MaxHolds, b.MaxBookings = cmp.Or(b.MaxHolds, new(times*DefaultMaxHolds+more)), cmp.Or(b.MaxBookings, new(times*DefaultMaxBookings+more))
	return b
}

// mostOfALifecycle is the maximum number of holds, and of bookings, that a random lifecycle makes on
// average.
const mostOfALifecycle = 10

func (b Bounds) scope() plan.Scope {
	return plan.Scope{Products: b.Products, Options: b.Options, From: b.From, To: b.To}
}

func (c Config) narrowedBy() (flags []string) {
	b := c.Bounds
	for _, one := range []struct {
		flag string
		set  bool
	}{
		{"--rule", c.Rules != nil}, {"--label", c.LabelFilter != ""},
		{"--product", b.Products != nil}, {"--option", b.Options != nil}, {"--from", b.From != ""}, {"--to", b.To != ""},
		{"--read-only", b.ReadOnly}, {"--max-holds 0", *b.MaxHolds == 0}, {"--max-bookings 0", *b.MaxBookings == 0},
		{"--no-races", c.NoRaces}, {"--no-bad-input", c.NoBadInput}, {"--fail-fast", c.FailFast}, {"--depth quick", c.Depth == string(plan.Quick)},
	} {
		if one.set {
			flags = append(flags, one.flag)
		}
	}
	return flags
}

// scaleLimit returns a limit of the contract as this run applies it.
func (c Config) scaleLimit(d time.Duration) time.Duration {
	return time.Duration(c.LimitScale * float64(d))
}
