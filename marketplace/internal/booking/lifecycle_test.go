package booking

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

func TestAMoveThatIsNotInTheTableIsRefusedAndNamesTheState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		booking domain.Booking
		on      event
		words   string
	}{
		"to abandon what is paid":             {domain.Booking{Status: domain.Paid}, abandon, "the booking is PAID"},
		"a failed payment of what is paid":    {domain.Booking{Status: domain.Confirmed}, paymentFail, "the booking is CONFIRMED"},
		"to cancel a hold":                    {domain.Booking{Status: domain.Held}, customerCancel, "the booking is HELD"},
		"a customer's cancel of what is paid": {domain.Booking{Status: domain.Paid}, customerCancel, "the booking is PAID"},
		"an operator's while it is confirmed": {domain.Booking{Status: domain.Paid, ConfirmCall: uuid.New()}, operatorCancel, "in progress"},
		"to confirm what was released":        {domain.Booking{Status: domain.Paid, Release: domain.Done}, operatorConfirm, "was released"},
		"to pay for what is refused":          {domain.Booking{Status: domain.Refused}, paymentSucceed, "the booking is REFUSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := transitionFor(c.booking, c.on)
			if domain.CodeOf(err) != domain.Conflict || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want a conflict with %q, got %v", c.words, err)
			}
		})
	}
}

func TestAnOperatorIsNotified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		booking domain.Booking
		about   domain.AttentionReason
		want    []domain.Action
	}{
		"to confirm or to cancel what was refused":  {domain.Booking{Status: domain.Paid}, domain.ConfirmRefused, []domain.Action{domain.TryConfirm, domain.TryCancel}},
		"to cancel what was paid late":              {domain.Booking{Status: domain.Paid, Release: domain.Done}, domain.LatePayment, []domain.Action{domain.TryCancel}},
		"nothing but to see to what was paid twice": {domain.Booking{Status: domain.Cancelled}, domain.DuplicatePayment, []domain.Action{domain.Resolve}},
		"to send a release again":                   {domain.Booking{Status: domain.Released, Release: domain.GivenUp}, domain.ReleaseFailed, []domain.Action{domain.TryDeliver, domain.Resolve}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Actions(c.booking, c.about); !slices.Equal(got, c.want) {
				t.Errorf("want %v, got %v", c.want, got)
			}
		})
	}
}

func TestEveryRowOfTheTableCanBeReached(t *testing.T) {
	t.Parallel()
	for i, row := range table {
		for j, before := range table[:i] {
			if before.From == row.From && before.On == row.On && before.If.Says == "" {
				t.Errorf("row %d (%s on %s) stands behind row %d, which always fits", i, row.From, row.On, j)
			}
		}
	}
}

func TestLateAnswersAreUndoneOrNotRepeated(t *testing.T) {
	t.Parallel()
	refused := []domain.Attention{{Reason: domain.ConfirmRefused}}
	for name, c := range map[string]struct {
		booking domain.Booking
		on      event
		ask     ask
		raises  domain.AttentionReason
	}{
		"a confirm that is accepted after the cancellation is cancelled":    {domain.Booking{Status: domain.Cancelled}, confirmAccept, askCancel, ""},
		"a hold without a waiting caller is released":                       {domain.Booking{Status: domain.Lost}, reserveUnwanted, askRelease, ""},
		"an operator's confirm without an answer is not repeated by itself": {domain.Booking{Status: domain.Paid, Attention: refused}, confirmUnanswered, "", domain.ConfirmUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, err := transitionFor(c.booking, c.on)
			if err != nil || row.Ask != c.ask || row.Raises != c.raises {
				t.Errorf("want %q asked and %q raised, got %+v and %v", c.ask, c.raises, row, err)
			}
		})
	}
}

func TestPausesGrowToAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{
		0: time.Second, 1: 5 * time.Second, 2: 15 * time.Second, 3: time.Minute, 4: 2 * time.Minute, 7: longestPause, 1 << 40: longestPause,
	} {
		if got := pause(tries); got < want*8/10 || got > want*12/10 {
			t.Errorf("after %d tries: want about %s, got %s", tries, want, got)
		}
	}
}
