package suite

import (
	"context"
	"time"

	"partnerkit.dev/conformance/internal/undo"
)

// cleanupTime bounds the undoing of what a run has left behind.
const cleanupTime = 20 * time.Second

// cleanUp releases every hold and cancels every booking that is still there. It
// has a time of its own, and no limit, filter or signal keeps it from trying.
func (s *session) cleanUp() {
	limit := cleanupTime
	if rps := s.config.Bounds.MaxRPS; rps > 0 {
		limit += time.Duration(len(s.ledger.Open())*undo.MostCalls) * time.Second / time.Duration(rps)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	undo.Undoing{Client: s.client, Ledger: s.ledger, Now: s.now, LimitScale: s.config.LimitScale}.All(ctx)
}
