package booking

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

func TestAMoveThatIsNotInTheTableIsRefusedAndNamesTheState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		booking marketplace.Booking
		on      event
		words   string
	}{
		"to abandon what is paid":             {marketplace.Booking{Status: marketplace.Paid}, abandon, "the booking is PAID"},
		"a failed payment of what is paid":    {marketplace.Booking{Status: marketplace.Confirmed}, paymentFail, "the booking is CONFIRMED"},
		"to cancel a hold":                    {marketplace.Booking{Status: marketplace.Held}, customerCancel, "the booking is HELD"},
		"a customer's cancel of what is paid": {marketplace.Booking{Status: marketplace.Paid}, customerCancel, "the booking is PAID"},
		"an operator's while it is confirmed": {marketplace.Booking{Status: marketplace.Paid, ConfirmCall: uuid.New()}, operatorCancel, "in progress"},
		"to confirm what was released":        {marketplace.Booking{Status: marketplace.Paid, Release: marketplace.Done}, operatorConfirm, "was released"},
		"to pay for what is refused":          {marketplace.Booking{Status: marketplace.Refused}, paymentSucceed, "the booking is REFUSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := next(c.booking, c.on)
			if marketplace.CodeOf(err) != marketplace.Conflict || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want a conflict with %q, got %v", c.words, err)
			}
		})
	}
}

func TestAnOperatorIsNotified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		booking marketplace.Booking
		about   marketplace.AttentionReason
		want    []marketplace.Action
	}{
		"to confirm or to cancel what was refused":  {marketplace.Booking{Status: marketplace.Paid}, marketplace.ConfirmRefused, []marketplace.Action{marketplace.TryConfirm, marketplace.TryCancel}},
		"to cancel what was paid late":              {marketplace.Booking{Status: marketplace.Paid, Release: marketplace.Done}, marketplace.LatePayment, []marketplace.Action{marketplace.TryCancel}},
		"nothing but to see to what was paid twice": {marketplace.Booking{Status: marketplace.Cancelled}, marketplace.DuplicatePayment, []marketplace.Action{marketplace.Resolve}},
		"to send a release again":                   {marketplace.Booking{Status: marketplace.Released, Release: marketplace.GivenUp}, marketplace.ReleaseFailed, []marketplace.Action{marketplace.TryDeliver, marketplace.Resolve}},
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
	refused := []marketplace.Attention{{Reason: marketplace.ConfirmRefused}}
	for name, c := range map[string]struct {
		booking marketplace.Booking
		on      event
		ask     ask
		raises  marketplace.AttentionReason
	}{
		"a confirm that is accepted after the cancellation is cancelled":    {marketplace.Booking{Status: marketplace.Cancelled}, confirmAccept, askCancel, ""},
		"a hold without a waiting caller is released":                       {marketplace.Booking{Status: marketplace.Lost}, reserveUnwanted, askRelease, ""},
		"an operator's confirm without an answer is not repeated by itself": {marketplace.Booking{Status: marketplace.Paid, Attention: refused}, confirmUnanswered, "", marketplace.ConfirmUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, err := next(c.booking, c.on)
			if err != nil || row.Ask != c.ask || row.Raises != c.raises {
				t.Errorf("want %q asked and %q raised, got %+v and %v", c.ask, c.raises, row, err)
			}
		})
	}
}
