package suite

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/explore"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// DefaultMaxDuration is how long a run may take before what is left is given up.
const DefaultMaxDuration = 150 * time.Second

const (
	// MostStories bounds the random lifecycles of a run.
	MostStories = 1000
	// LargestSeed bounds their seeds: every reader of JSON takes it for what it is.
	LargestSeed = 1<<53 - 1
)

// Config is a partner to be judged, and how.
type Config struct {
	BaseURL               *url.URL
	AuthType              partnerapi.AuthType // "": bearer
	AuthKey               string
	HandlesTicketDelivery bool           // the partner is registered as delivering its own tickets
	ClockURL              string         // "": the target's clock cannot be moved
	IncludeSlow           bool           // holds are waited for until they expire, where there is no clock; else expiry is not judged
	RootCAs               *x509.CertPool // nil: the system's
	PublicOnly            bool           // addresses that are not public are not called, whatever name leads to them
	MaxDuration           time.Duration  // 0: DefaultMaxDuration; waiting for holds, and undoing them and bookings, come on top of it
	LabelFilter           string         // Ginkgo's label filter over rule ids, levels and endpoints; "": all
	Rules                 []string       // ids: only these are judged, as far as the filter fits them too; nil: all
	FailFast              bool           // nothing more is judged after the first MUST rule that failed
	Baseline              *baseline.Baseline
	Strict                bool           // an inconclusive rule makes the verdict incomplete
	NoRaces               bool           // no calls are sent at the same time: what they come to is not judged
	Bounds                Bounds         // of what the run does to the platform
	Depth                 string         // quick, standard or thorough; "": standard. How many products, slots, parties and orders of calls the rules are judged on
	Explore               int            // how many random lifecycles are played, at most MostStories
	Seed                  uint64         // 0: 1; of the first of them, each further one has the next
	Ledger                *ledger.Ledger // of all holds and bookings; nil: it is kept in memory only
	LimitScale            float64        // 0: 1; the contract's limits are multiplied by it, for the suite's own tests
	Version               string         // of the suite, for the report and the User-Agent
	GinkgoOutput          bool           // Ginkgo's own output is shown
	Progress              func(report.RuleResult)
	Waiting               func(until time.Time) // told before the run waits for holds to expire
}

// Check says what is wrong with a configuration, or nil.
func (c Config) Check() error {
	switch {
	case c.BaseURL == nil:
		return errors.New("the base URL is missing: expected the partner's address")
	case c.AuthKey == "":
		return errors.New("the key is missing: expected the one that the partner registered")
	case c.Explore < 0 || c.Explore > MostStories:
		return fmt.Errorf("--explore %d: expected from 0 to %d", c.Explore, MostStories)
	case c.Seed > LargestSeed:
		return fmt.Errorf("--seed %d: expected at most %d", c.Seed, uint64(LargestSeed))
	}
	if err := c.Bounds.check(time.Now(), c.ClockURL != ""); err != nil {
		return err
	}
	if _, err := plan.ParseDepth(c.Depth); err != nil {
		return fmt.Errorf("--depth: %w", err)
	}
	_, err := plan.Choose(c.LabelFilter, c.Rules)
	return err
}

// Judged returns the ids of the rules that a run judges, in the catalogue's order.
func (c Config) Judged() (ids []string) {
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
	c.Bounds = c.Bounds.withDefaults(c.Explore)
	c.LimitScale = cmp.Or(c.LimitScale, 1)
	c.Version = cmp.Or(c.Version, "devel")
	if c.Ledger == nil {
		c.Ledger = ledger.New()
	}
	if c.Progress == nil {
		c.Progress = func(report.RuleResult) {}
	}
	if c.Waiting == nil {
		c.Waiting = func(time.Time) {}
	}
	return c
}

// The standing bounds of a run. Races are repeated until little is missed: they make some 350
// holds and 110 bookings, each of which is undone within the same second.
const (
	DefaultMaxHolds    = 1000
	DefaultMaxBookings = 250
)

// Bounds say how far a run may go on a platform that is in use. The zero value
// leaves the run all that it needs.
type Bounds struct {
	ReadOnly    bool // nothing is held or booked: only the catalog and availability are judged
	MaxHolds    *int // made in all; nil: DefaultMaxHolds
	MaxBookings *int // made in all, by a partner that books a code once; nil: DefaultMaxBookings
	MaxRPS      int  // calls a second, those at the same time too; 0: no bound

	Products, Options []string // ids: only these are asked for availability and booked; nil: all
	From, To          string   // dates, both inclusive: no slot is asked for outside; "": today, and 60 days after it
}

// check says what is wrong with the bounds at now, or nil. The words name the
// flags that they are given by.
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

// checkDates checks the dates. It is not known yet where on earth the products
// are, nor what time it is there where the target has a clock of its own.
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

// withDefaults sets the bounds that are left out: the standing ones, raised by what random
// lifecycles may hold and book, those by which one is shortened among them.
func (b Bounds) withDefaults(stories int) Bounds {
	more := 0
	if stories > 0 {
		more = mostOfAStory * (stories + explore.MostTries)
	}
	b.MaxHolds, b.MaxBookings = cmp.Or(b.MaxHolds, new(DefaultMaxHolds+more)), cmp.Or(b.MaxBookings, new(DefaultMaxBookings+more))
	return b
}

// mostOfAStory is how many holds, and bookings, a random lifecycle makes at the most,
// on average.
const mostOfAStory = 10

func (b Bounds) scope() plan.Scope {
	return plan.Scope{Products: b.Products, Options: b.Options, From: b.From, To: b.To}
}

// leftOut says why a rule is not judged within the bounds, and how to have it judged, or
// nothing.
func (c Config) leftOut(r rule.Rule) (why, remedy string) {
	explores := r.ID == rule.AvailabilityLifecycle.ID
	reads := r.Endpoint == partnerapi.Products || r.Endpoint == partnerapi.Availability
	switch {
	case explores && c.Explore == 0:
		return "no random lifecycles were played", "Run with --explore 50."
	case c.Bounds.ReadOnly && (explores || !reads):
		return scenario.ReadOnly, scenario.NotReadOnly
	default:
		return "", ""
	}
}
