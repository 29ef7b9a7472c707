//go:build linux

package crash

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// slowly is a partner that delays every call.
const slowly = `
faults:
  - {name: slow, delay: {uniform: {min: 10ms, max: 50ms}}}
`

func TestAHotSlotIsSoldOnceAndEveryCustomerGetsAnAnswer(t *testing.T) {
	t.Parallel()
	many := wholeBookings(t)
	if many == 0 {
		t.Skip("needs a fleet of its own: run make crash")
	}
	seats := max(1, many/20)
	s := open(t, launch(t, seedOf(t), false), seats, slowly)
	check(t, s.partner.Default().SetSlot("harbour", "noon", s.slots[0].ID, client.SlotChange{Vacancies: &seats})) // the partner may have sold some elsewhere
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	customers := make([]*customer, many)
	began := time.Now()
	var inside sync.WaitGroup
	for i := range customers {
		c := &customer{number: i, intent: pays, slot: s.slots[0], guests: 1, replica: i}
		customers[i] = c
		inside.Go(func() { c.acts(ctx, s) })
	}
	inside.Wait()
	took := time.Since(began)
	confirmed := s.count(t, `SELECT count(*) FROM bookings WHERE status = 'CONFIRMED'`)
	if confirmed != seats {
		t.Errorf("want %d confirmed, got %d", seats, confirmed)
	}
	inWords, words := s.refusals(t)
	reported, byPartner := 0, 0
	var waits []time.Duration
	for _, c := range customers {
		waits = append(waits, c.took)
		switch {
		case c.failed != nil:
			t.Error(c.failed)
		case c.booking != uuid.Nil:
		case c.refusal.Code != 409:
			t.Errorf("Expected customer %d to be refused because the slot is sold out, received %+v", c.number, c.refusal)
		case words[c.refusal.Message]:
			reported++
			byPartner++
		default:
			reported++
		}
	}
	if reported != many-seats || byPartner != inWords {
		t.Errorf("want %d refused, %d of them in the partner's words, got %d and %d", many-seats, inWords, reported, byPartner)
	}
	slices.Sort(waits)
	s.partner.AssertCallerKept(t)
	if broken := s.partner.Default().Invariants(); broken != nil {
		t.Errorf("the partner's inventory: %+v", broken)
	}
	t.Logf("%s: %d customers, %d seats, %d confirmed, %d refused because none are left, %d of these in the partner's words; waited for a hold or a refusal: median %s, p99 %s, longest %s",
		took.Round(time.Millisecond), many, seats, confirmed, reported, byPartner, percentile(waits, 50), percentile(waits, 99), percentile(waits, 100))
}

// percentile returns a percentile of sorted durations.
func percentile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)-1)*percent/100].Round(time.Millisecond)
}

// refusals returns the number of reserves that the partner refused, and its messages.
func (s *shop) refusals(t *testing.T) (n int, words map[string]bool) {
	t.Helper()
	words = map[string]bool{}
	for _, e := range s.partner.Default().Exchanges(client.Filter{Endpoint: partnerapi.Reserve, Status: 400}) {
		var refusal partnerapi.Refusal
		check(t, json.Unmarshal(e.Answer.Body, &refusal))
		words[refusal.Message] = true
		n++
	}
	return n, words
}
