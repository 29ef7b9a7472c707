package suite

import (
	"context"
	"errors"

	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/internal/recording"
)

// Recorded is recorded traffic to be judged.
type Recorded struct {
	Files                 []string // HTTP archives, or one archive entry per line; together they are one history
	Only                  string   // the partner's base URL; "" if the files have calls to one only
	HandlesTicketDelivery bool     // the partner is registered as delivering its own tickets
	Partial               bool     // some of the caller's calls are missing, at any time
	Version               string   // of the suite, for the report
}

// ErrNoCalls means that a recording has no call of the partner contract.
var ErrNoCalls = errors.New("no call of the partner contract was found: expected requests such as GET …/products or POST …/bookings/reserve")

// JudgeRecorded judges recorded traffic by every rule that needs no call of its own. The other
// rules are skipped, so the verdict is at best partial.
func JudgeRecorded(ctx context.Context, r Recorded) (*Outcome, error) {
	counts, judge := &recording.Counts{}, traffic.New(traffic.Options{Tickets: r.HandlesTicketDelivery, Version: r.Version, Partial: r.Partial})
	for x, err := range recording.Read(ctx, r.Files, r.Only, counts) {
		if err != nil {
			return nil, err
		}
		judge.Take(x)
	}
	if counts.Judged == 0 {
		return nil, counts.Explain(ErrNoCalls)
	}
	judge.Finish()
	result := judge.Result()
	for _, one := range counts.Unread() {
		result.Unread = append(result.Unread, judge.Redact(one))
	}
	return &Outcome{Result: result, Redactor: judge.Redactor()}, nil
}
