// Package suite judges a partner. Run judges one partner by every rule of the catalogue, any number of times and at
// the same time in one process: nothing is kept between runs. Package suitetest runs it in Go tests.
//
// Every rule is judged in the same way. Package plan selects which part of the partner's offer is
// tested. Package scenario plays what the rule needs and returns what was sent, received and
// counted. Package judge interprets that and returns a finding. The verdicts decide what a broken
// rule means for the others: one cause is one finding. A scenario is played once, when the first
// rule requests it.
//
// Races come late, after everything is known about sequential calls. The order is unusual requests,
// malformed requests, races, and then expiring holds, so that everything else is judged while the
// run waits for them. Random lifecycles, which package explore generates, are played on request.
//
// A live partner has other customers. An unexpected result is tried again, on slots that are
// watched for changes by others. Package noise decides when a broken rule is far likelier than
// interference.
//
// Every hold and booking is recorded in a ledger before it is used, and is undone at the end in any
// case.
package suite

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/undo"
)

// LongestWait is the longest lifetime of a hold that a run waits for.
const LongestWait = scenario.LongestWait

// Run judges the partner that config names. Cancel ctx to stop the run early; its holds are undone
// in that case too. Run returns an error for a configuration that cannot be used. Nothing was sent
// then.
func Run(ctx context.Context, config Config) (*Outcome, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	r := newRun(ctx, config.withDefaults())
	defer r.client.Close()
	box, err := r.listen()
	if err != nil {
		return nil, err
	}
	if box != nil {
		defer box.Close()
		r.config.Listening(box.URL())
	}
	r.judgeAll(ctx)
	r.player.Calls.LimitCalls(0)
	r.cleanUp()
	r.readAfterwards()
	return &Outcome{Result: r.result(), Redactor: r.client.Redactor()}, nil
}

// listen starts to receive webhooks. It returns nil if none are to be received. The error names the
// flag.
func (r *run) listen() (*inbox.Inbox, error) {
	w := r.config.Webhooks
	if w == nil {
		return nil, nil
	}
	box, err := inbox.Open(inbox.Config{Listen: w.Listen, Secret: w.Secret, URL: w.URL, Redact: r.client.Redactor()})
	if err != nil {
		return nil, fmt.Errorf("--webhook-listen %w", err)
	}
	r.player.Inbox, r.player.WebhookWait = box, w.wait()
	r.player.Time.Keep(2 * w.wait()) // it waits several times
	return box, nil
}

// UndoTime is how long a run takes at most, after it was stopped, to release its holds and cancel
// its bookings. A limit on calls a second lengthens it.
const UndoTime = 20 * time.Second

// cleanUp releases every hold and cancels every booking that is left. It has its own time limit,
// and runs despite any other limit, filter or signal.
func (r *run) cleanUp() {
	limit := UndoTime
	if rps := r.config.Bounds.MaxRPS; rps > 0 {
		limit += time.Duration(len(r.config.Ledger.Open())*undo.MostCalls) * time.Second / time.Duration(rps)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.player.NewUndoing().All(ctx)
}
