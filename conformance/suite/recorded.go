package suite

import (
	"context"
	"errors"

	"partnerkit.dev/conformance/internal/recording"
	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/internal/count"
)

// Recorded is recorded traffic to be judged.
type Recorded struct {
	Files                 []string // HTTP archives, or one archive entry per line; together they are one history
	HandlesTicketDelivery bool     // the partner is registered as delivering its own tickets
	Version               string   // of the suite, for the report
}

// JudgeRecorded judges recorded traffic by every rule that needs no call of its own. The other
// rules are skipped, so the verdict is at best partial.
func JudgeRecorded(ctx context.Context, r Recorded) (*Outcome, error) {
	counts, judge := &recording.Counts{}, traffic.New(r.HandlesTicketDelivery, r.Version, false)
	for x, err := range recording.Read(ctx, r.Files, counts) {
		if err != nil {
			return nil, err
		}
		judge.Take(x)
	}
	if counts.Judged == 0 {
		return nil, errors.New("no call of the partner contract was found: expected requests such as GET …/products or POST …/bookings/reserve")
	}
	judge.Finish()
	result := judge.Result()
	if counts.Late > 0 && result.Reason != "" {
		result.Reason += "; " + count.Of(counts.Late, "call") + " came too long after later ones to be sorted by time"
	}
	return &Outcome{Result: result, Redactor: judge.Redactor()}, nil
}
