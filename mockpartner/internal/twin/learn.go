// Package twin creates a twin of a partner: a scenario for the mock that sells, answers and fails
// as the partner does.
//
// It reads the partner's catalog and slots (Options.BaseURL), recordings of other calls
// (Options.Recordings), or both. All calls and answers form one history, in the order of time. A
// separate function learns each part of the twin from it: the products (catalog.go, patch.go),
// their slots (slots.go, shape.go) and the answer times (times.go). A tracker of all holds
// (lifecycle.go) determines the case of each booking call. The policy (conduct.go), wrong seat
// moves (seats.go) and the answers of each situation (answers.go, faults.go) are learned from it. The scenario
// states the evidence for each part, and how certain it is (write.go).
//
// No customer data and no key gets into a scenario. Texts of bookings' answers are never copied.
// What is copied of the catalog is first searched for every key, code and guest of the history
// (secrets.go).
package twin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// Options configures Learn. BaseURL or Recordings are required.
type Options struct {
	BaseURL  string // the partner's; empty means that it is not called
	AuthType partnerapi.AuthType
	AuthKey  string
	// Recordings are files: HTTP archives, or the entries of archives one after another.
	Recordings []string
	Only       string // the base URL of the partner in the recordings, if they have calls to several

	MaxCalls int // maximum number of calls to the partner; 0 means DefaultMaxCalls
	// Rate is the maximum number of calls per second; 0 means no limit.
	Rate float64
	HTTP *http.Client // nil means a client that follows no redirects
	// Certificate is sent to a partner that asks for a client certificate; nil means none.
	Certificate *tls.Certificate
	Now         func() time.Time // nil means time.Now
}

// DefaultMaxCalls is the default maximum number of calls to a partner.
const DefaultMaxCalls = 1000

// Twin is the result of Learn.
type Twin struct {
	Scenario []byte // a scenario file
	// Notes are sentences on what the twin lacks, or what was guessed.
	Notes []string
	// The numbers of calls, recorded calls, products, options and slots that it was learned from.
	Calls, Recorded          int
	Products, Options, Slots int
}

// ErrNothing is returned when there was no catalog to learn from.
var ErrNothing = errors.New("no answer of GET /products was found that has products")

// Learn creates a twin. Its error wraps ErrNothing, or names the file or address that cannot be
// read.
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
	for _, one := range h.counts.Unread() {
		l.note("%s.", one)
	}
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
	twin, err := l.twin()
	if errors.Is(err, ErrNothing) {
		err = h.counts.Explain(err)
	}
	return twin, err
}

// learner is a twin in progress.
type learner struct {
	*history
	now     time.Time
	notes   []string
	learned struct{ options, slots, unseen int }
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
	if n := l.learned.unseen; n > 0 {
		l.note("The slots of %s of %d were not seen: the twin has none for them.", plural.Count(n, "option"), l.learned.options)
	}
	followed := l.follow(products)
	for i := range products {
		for j := range products[i].options {
			seatsOfUnits(&products[i], &products[i].options[j], followed)
		}
	}
	s := &scenarioWriter{learner: l, products: products, times: l.answerTimes(), conduct: conductOf(followed)}
	s.quirks = l.quirks(followed, products, slices.ContainsFunc(s.conduct.policy, func(p learnedLine) bool { return p.line == "noHolds: true" }))
	s.faults = l.faults(followed, products, s.quirks, s.conduct)
	text, err := s.write()
	if err != nil {
		return nil, err
	}
	return &Twin{
		Scenario: text, Notes: l.notes, Calls: l.called, Recorded: len(l.calls) - l.called,
		Products: len(products), Options: l.learned.options, Slots: l.learned.slots,
	}, nil
}
