package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

func TestAHistoryNeverGoesBackWhateverTheReplicasThinkOfTheTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.checkout(t)
	b.ahead.Add(-int64(33 * time.Millisecond)) // the clock of the replica that receives the payment
	b.pays(t, held.ID, "p-1")
	b.ahead.Add(-int64(time.Second))
	_, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, held.ID, "ill")
	check(t, err)
	b.work(t)
	histories, err := b.store.Bookings.Histories(t.Context(), []uuid.UUID{held.ID})
	check(t, err)
	history := histories[held.ID]
	if len(history) != 7 {
		t.Fatalf("Expected 7 rows, received %+v", history)
	}
	for i, row := range history[1:] {
		if row.At.Before(history[i].At) {
			t.Errorf("row %d: Expected a time from %s, that of the row before, received %s", i+1, history[i].At, row.At)
		}
	}
}
