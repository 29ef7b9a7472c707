package booking_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
)

func TestABookingWhoseJobWasDroppedNeedsAnOperator(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  string
		owe    func(*testing.T, *bench, uuid.UUID) error
		status domain.BookingStatus
		raises domain.AttentionReason
		action domain.Action
		settle func(*bench, context.Context, uuid.UUID) (domain.Booking, error)
		ends   domain.BookingStatus
	}{
		"a confirm that had no answer": {
			`{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`,
			func(t *testing.T, b *bench, id uuid.UUID) error { b.pays(t, id, "p-1"); return nil },
			domain.Paid, domain.ConfirmUnknown, domain.TryConfirm,
			func(b *bench, ctx context.Context, id uuid.UUID) (domain.Booking, error) {
				return b.Retry(ctx, id)
			},
			domain.Confirmed,
		},
		"a release": {
			"",
			func(t *testing.T, b *bench, id uuid.UUID) error {
				_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, id)
				return err
			},
			domain.Released, domain.ReleaseFailed, domain.TryDeliver,
			func(b *bench, ctx context.Context, id uuid.UUID) (domain.Booking, error) {
				return b.Deliver(ctx, id)
			},
			domain.Released,
		},
		"a cancellation": {
			"",
			func(t *testing.T, b *bench, id uuid.UUID) error {
				b.pays(t, id, "p-1")
				_, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, id, "")
				return err
			},
			domain.Cancelled, domain.CancelFailed, domain.TryDeliver,
			func(b *bench, ctx context.Context, id uuid.UUID) (domain.Booking, error) {
				return b.Deliver(ctx, id)
			},
			domain.Cancelled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if c.fault != "" {
				b.arm(t, c.fault)
			}
			held := b.checkout(t)
			check(t, c.owe(t, b, held.ID))
			check(t, b.Sweep(t.Context()))
			b.is(t, held.ID, c.status) // its job exists

			dropped, err := b.store.Pool().Exec(t.Context(), `UPDATE river_job SET state = 'discarded', attempt = max_attempts, finalized_at = now() WHERE queue = 'bookings'`)
			check(t, err)
			if dropped.RowsAffected() != 1 {
				t.Fatalf("want one job, got %d", dropped.RowsAffected())
			}
			check(t, b.Sweep(t.Context()))
			r := b.is(t, held.ID, c.status, c.raises)
			if len(r.Attention) == 0 {
				return
			}
			if message := r.Attention[0].Message; !strings.HasPrefix(message, "the service failed 12 times") || !strings.Contains(message, "job_id") {
				t.Errorf("Expected the reason to be reported, received %q", message)
			}
			if may := booking.Actions(r.Booking, c.raises); !slices.Contains(may, c.action) {
				t.Errorf("want %s to be offered, got %v", c.action, may)
			}

			_, err = c.settle(b, t.Context(), held.ID)
			check(t, err)
			check(t, b.Sweep(t.Context())) // the dropped job still exists, and is ignored
			b.is(t, held.ID, c.ends)
			b.work(t)
			b.is(t, held.ID, c.ends)
			b.requireKept(t)
		})
	}
}
