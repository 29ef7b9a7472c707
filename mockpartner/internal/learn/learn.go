// Package learn makes a twin of a partner: a scenario for the mock that sells, answers and errs as the partner
// does.
//
// It reads the partner's catalog and slots (Options.BaseURL), recordings of other calls (Options.Recordings), or
// both. All that was called and answered is one history, in the order of time. Each part of the twin is learned from
// it by a function of its own: the products (catalog.go, patch.go), their slots (slots.go, shape.go) and the answer times
// (times.go). A story of all holds (lifecycle.go) says what each booking call came upon: from it come the policy
// (conduct.go), where seats move otherwise (seats.go), and how each situation is answered (answers.go). The scenario says beside
// each part what it was learned from and how sure that is (write.go).
//
// Nothing that belongs to a customer, and no key, gets into a scenario: texts of bookings' answers are never copied,
// and what is copied of the catalog is searched for every key, code and guest of the history first (secrets.go).
package learn

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/internal/count"
	"partnerkit.dev/schemas/partnerapi"
)

// Options say what to learn from. BaseURL or Recordings are required.
type Options struct {
	BaseURL  string // the partner's; empty: it is not called
	AuthType partnerapi.AuthType
	AuthKey  string
	// Recordings are files: HTTP archives, or their entries one after another.
	Recordings []string

	MaxCalls int // that are made; 0 means DefaultMaxCalls
	// Rate is how many calls are made a second; 0 means no limit.
	Rate float64
	HTTP *http.Client     // nil means one that follows no redirects
	Now  func() time.Time // nil means time.Now
}

// DefaultMaxCalls bounds the calls to a partner.
const DefaultMaxCalls = 1000

// Twin is what was learned.
type Twin struct {
	Scenario []byte // a scenario file
	// Notes are what the twin lacks or was guessed, in sentences.
	Notes []string
	// What it was learned from.
	Calls, Recorded          int
	Products, Options, Slots int
}

// ErrNothing says that there was no catalog to learn from.
var ErrNothing = errors.New("no answer of GET /products was found that has products")

// Learn makes a twin. Its error wraps ErrNothing, or says which file or address cannot be read.
func Learn(ctx context.Context, o Options) (*Twin, error) {
	if o.BaseURL == "" && len(o.Recordings) == 0 {
		return nil, errors.New("expected the address of a partner or a recording, received neither")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &history{secrets: newSecrets()}
	h.secrets.add(o.AuthKey)
	if err := h.read(ctx, o); err != nil {
		return nil, err
	}
	l := &learner{history: h, now: o.Now()}
	if o.BaseURL != "" {
		p, err := newPartner(o)
		if err != nil {
			return nil, err
		}
		if err := p.readAll(ctx, l); err != nil {
			return nil, err
		}
	}
	h.prepare()
	return l.twin()
}

// learner is a twin that is being made.
type learner struct {
	*history
	now     time.Time
	notes   []string
	twinned struct{ options, slots, unseen int }
}

func (l *learner) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

func (l *learner) twin() (*Twin, error) {
	products, err := l.products()
	if err != nil {
		return nil, err
	}
	for i := range products {
		l.slots(&products[i])
	}
	if n := l.twinned.unseen; n > 0 {
		l.note("The slots of %s of %d were not seen: the twin has none for them.", count.Of(n, "option"), l.twinned.options)
	}
	told := l.tell()
	for i := range products {
		for j := range products[i].options {
			l.seatsOfUnits(&products[i], &products[i].options[j], told)
		}
	}
	s := &sheet{learner: l, products: products, times: l.answerTimes(), conduct: l.conduct(told)}
	s.quirks = l.quirks(told, products, slices.ContainsFunc(s.conduct.policy, func(p said) bool { return p.line == "noHolds: true" }))
	s.faults = l.faults(told, products, s.quirks, s.conduct)
	text, err := s.write()
	if err != nil {
		return nil, err
	}
	return &Twin{
		Scenario: text, Notes: l.notes, Calls: l.called, Recorded: len(l.calls) - l.called,
		Products: len(products), Options: l.twinned.options, Slots: l.twinned.slots,
	}, nil
}
