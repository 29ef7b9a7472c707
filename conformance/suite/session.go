package suite

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
)

// session is one run: what it knows, what it has found, and what it has to undo.
type session struct {
	config    Config
	client    *probe.Client
	paces     paces
	ledger    *ledger.Ledger
	choice    choice
	verdicts  *verdicts
	findings  findings
	vacancies vacancies
	clock     *clock
	started   time.Time
	deadline  time.Time
	waited    time.Duration             // for holds to expire, on top of the time that the run may take
	nonce     string                    // tells this run's unknown codes from any other's
	stopped   atomic.Bool               // the run was asked to end
	ranOut    atomic.Bool               // the run's time was used up
	failed    atomic.Pointer[rule.Rule] // the first that failed, where nothing is judged after it
	halt      context.Context           // ends when the run is asked to end
	stage     sync.Mutex                // held by the spec under way: one that Ginkgo left behind is waited for

	survey       *survey // nil until it was made
	clockTrouble error   // why the target's clock cannot be used

	pictures map[string][]byte // of broken rules, by the name of their file
	played   map[string]any    // the stories so far, by name and attempt
	used     map[string]bool   // the slots that stories were played on
	again    bool              // stories are played again, because others may be at the slots
	watches  map[string]*watch // of slots that were looked at, by the key of their offers
	moved    map[string]int    // how often others were seen to move a slot's seats
	outside  string            // what the bounds name that is not there; "" where all is
	reserved bool              // a hold was made
	noOffer  bool              // nothing was found that could be booked
	noCancel bool              // the partner takes no cancellations
	holdless bool              // the partner keeps no seats for holds
	bookings int               // made so far

	explored *report.Exploration // nil until random lifecycles are played
}

func newSession(halt context.Context, config Config) *session {
	s := &session{
		config: config,
		client: probe.NewClient(probe.Config{
			BaseURL: config.BaseURL, AuthType: config.AuthType, AuthKey: config.AuthKey,
			RootCAs: config.RootCAs, UserAgent: UserAgent(config.Version), MaxRPS: config.Bounds.MaxRPS,
		}),
		paces:     newPaces(config.LimitScale),
		ledger:    config.Ledger,
		findings:  findings{},
		vacancies: vacancies{slots: map[string]*report.SlotVacancies{}},
		halt:      halt,
		started:   time.Now(),
		nonce:     config.Ledger.Head().Run,
		pictures:  map[string][]byte{},
		played:    map[string]any{},
		used:      map[string]bool{},
		watches:   map[string]*watch{},
		moved:     map[string]int{},
	}
	s.deadline = s.started.Add(config.MaxDuration)
	s.choice, _ = newChoice(config.LabelFilter, config.Rules) // the configuration was checked
	s.verdicts = newVerdicts(s.words)
	s.clock = newClock(config)
	s.ledger.Tell(s.clock.now)
	return s
}

// UserAgent is how the suite of that version presents itself.
func UserAgent(version string) string { return "partnerkit-conformance/" + version }

// within returns a context that ends with ctx, at the run's deadline, and when
// the run is asked to end.
func (s *session) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(ctx, s.deadline)
	stop := context.AfterFunc(s.halt, cancel)
	return ctx, func() { stop(); cancel() }
}

// longestWords is how many bytes of a message or an id a report shows.
const longestWords = 1000

// words returns text as a report shows it: without the key, and cut.
func (s *session) words(text string) string {
	shown, whole := probe.Beginning(text, longestWords, s.redact)
	if !whole {
		shown += "…"
	}
	return shown
}

func (s *session) wordsOf(list []string) []string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = s.words(text)
	}
	return shown
}

// spentShare is how much of the run's time is gone, from 0 to 1.
func (s *session) spentShare() float64 {
	return float64(time.Since(s.started)-s.waited) / float64(s.config.MaxDuration)
}

// interrupted reports whether the user, or a signal, asked the run to end.
func (s *session) interrupted() bool { return s.stopped.Load() }

// now is the target's time, as far as it is known.
func (s *session) now() time.Time { return s.clock.now() }
