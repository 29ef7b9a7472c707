package booking_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// counting is a partner whose availability the test writes, about a slot with ten seats of which the
// marketplace holds two.
type counting struct {
	*bench
	slot domain.Slot
	held domain.Booking
}

func holdTwoOfTen(t *testing.T) *counting {
	t.Helper()
	b := setup(t)
	c := &counting{bench: b, slot: b.shownSlot(t)}
	c.exec(t, `UPDATE integrations SET moved_at = '2020-01-01'`)
	c.state(10, 10)
	c.held = b.checkout(t)
	return c
}

func (c *counting) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := c.store.Pool().Exec(t.Context(), statement)
	check(t, err)
}

// state sets the numbers of the next answers.
func (c *counting) state(vacancies, capacity int) {
	c.slot.Vacancies, c.slot.Capacity = &vacancies, &capacity
}

// pulled stores an answer to a pull of the option.
func (c *counting) pulled(t *testing.T) {
	t.Helper()
	_, err := c.store.Catalog.StoreSlots(t.Context(), catalog.SlotPull{
		VariationID: c.order.Variation, SentAt: c.now(), PulledSlots: &catalog.PulledSlots{
			Answer: &catalog.SlotAnswer{Slots: []domain.Slot{c.slot}}, Read: []catalog.Window{{Zone: time.UTC, From: c.slot.LocalDate, To: c.slot.LocalDate}}, Skipped: []time.Time{},
		},
	})
	check(t, err)
}

// read stores an answer to a checkout.
func (c *counting) read(t *testing.T) {
	t.Helper()
	check(t, c.store.Bookings.KeepFresh(t.Context(), booking.Fresh{At: c.now(), Variation: c.order.Variation, Asked: c.slot.ID, Slot: &c.slot}))
}

// notified stores a webhook.
func (c *counting) notified(t *testing.T) {
	t.Helper()
	slot := c.slot
	slot.VariationID, slot.SentAt = c.order.Variation, c.now()
	check(t, c.store.Catalog.UpdateSlot(t.Context(), c.integration, catalog.Notification{ProductID: product, OptionID: option, SlotUpdate: domain.SlotUpdate{ID: slot.ID}}, func(catalog.KnownSlot) (*domain.Slot, error) {
		return &slot, nil
	}))
}

func (c *counting) found(t *testing.T) []conformance.Breach {
	t.Helper()
	found, err := c.store.Partners.UncountedSeats(t.Context(), c.now())
	check(t, err)
	return found
}

// after passes time, stores an answer and returns what it shows.
func (c *counting) after(t *testing.T, by time.Duration, answered func(*testing.T)) []conformance.Breach {
	t.Helper()
	c.pass(t, by)
	answered(t)
	return c.found(t)
}

func TestAPartnerThatDoesNotCountOurSeatsIsNoted(t *testing.T) {
	t.Parallel()
	c := holdTwoOfTen(t)
	for i, step := range []struct {
		by       time.Duration
		answered func(*testing.T)
		want     int
	}{
		{4 * time.Minute, c.pulled, 0}, // the first one
		{time.Minute, c.read, 0},
		{2 * time.Minute, c.pulled, 1},
		{0, func(*testing.T) {}, 0}, // each answer counts once
		{time.Minute, c.read, 1},
		{time.Minute, c.notified, 0}, // its capacity may be its vacancies
	} {
		found := c.after(t, step.by, step.answered)
		if len(found) != step.want {
			t.Fatalf("step %d: want %d breaches, got %+v", i, step.want, found)
		}
		if len(found) > 0 {
			b := found[0]
			if b.Integration != c.integration || !strings.Contains(b.Message, `Slot "`+c.slot.ID+`"`) || !strings.Contains(b.Message, "capacity 10 and vacancies 10, so 0 seats are taken, for more than 2 minutes; the marketplace alone has 2") {
				t.Errorf("step %d: want the slot and the numbers of both, got %+v", i, b)
			}
			check(t, conformance.KeepBreaches(t.Context(), c.store.Partners, found, slog.New(slog.DiscardHandler)))
		}
	}
	c.pays(t, c.held.ID, "p-1")
	c.after(t, 4*time.Minute, c.pulled)
	if found := c.after(t, 3*time.Minute, c.pulled); len(found) != 1 {
		t.Errorf("want a booking to count like a hold, got %+v", found)
	}
	shown, err := c.store.Partners.Breaches(t.Context(), []uuid.UUID{c.integration}, true)
	check(t, err)
	if list := shown[c.integration]; len(list) != 1 || list[0].Rule != "availability.own-seats" || list[0].Count != 2 || list[0].Level != "MUST" {
		t.Errorf("want the breach where others are, got %+v", list)
	}
}

// Numbers that have a lawful explanation, or that are in doubt, are no breach.
func TestOnlyCertainMiscountsAreNoted(t *testing.T) {
	t.Parallel()
	state := func(vacancies, capacity int) func(*testing.T, *counting) {
		return func(_ *testing.T, c *counting) { c.state(vacancies, capacity) }
	}
	exec := func(statement string) func(*testing.T, *counting) {
		return func(t *testing.T, c *counting) { c.exec(t, statement) }
	}
	for name, prepare := range map[string]func(*testing.T, *counting){
		"counted":                           state(8, 10),
		"sold elsewhere, or shared":         state(3, 10),
		"more sold than a smaller boat has": state(0, 1),
		"vacancies above capacity":          state(12, 10),
		"without capacity":                  func(_ *testing.T, c *counting) { c.slot.Capacity = nil },
		"without vacancies":                 func(_ *testing.T, c *counting) { c.slot.Vacancies = nil },
		"freesale":                          func(_ *testing.T, c *counting) { c.slot.Status = partnerapi.StatusFreesale },
		"closed by the partner's staff":     func(_ *testing.T, c *counting) { c.slot.Status = partnerapi.StatusClosed },
		"a product with freesale":           exec(`UPDATE activities SET product = product || '{"allowFreesale": true}'`),
		"infants":                           exec(`UPDATE bookings SET guests = '[{"type": "INFANT", "quantity": 2}]'`),
		"a group of two": func(_ *testing.T, c *counting) {
			c.state(9, 10)
			c.slot.UnitPricing = []partnerapi.UnitPricing{}
		},
		"a partner without holds": exec(`UPDATE bookings SET expires_at = created_at + interval '3 hours'`),
		"a hold that has expired": exec(`UPDATE bookings SET expires_at = created_at + interval '3 minutes'`),
		"another platform":        exec(`UPDATE integrations SET moved_at = '2100-01-01'`),
		"another time of the slot": func(_ *testing.T, c *counting) {
			c.slot.Start = c.slot.Start.Add(time.Hour)
			c.slot.End = c.slot.End.Add(time.Hour)
		},
		"a released hold": func(t *testing.T, c *counting) {
			_, err := c.Abandon(t.Context(), domain.Scope{Account: c.reseller}, c.held.ID)
			check(t, err)
		},
		"a cancelled booking": func(t *testing.T, c *counting) {
			c.pays(t, c.held.ID, "p-1")
			_, err := c.Cancel(t.Context(), domain.Scope{Account: c.reseller}, c.held.ID, "")
			check(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := holdTwoOfTen(t)
			prepare(t, c)
			for range 3 {
				if found := c.after(t, 4*time.Minute, c.pulled); len(found) > 0 {
					t.Errorf("want no breach, got %+v", found)
				}
			}
		})
	}
	t.Run("answers of two minutes", func(t *testing.T) {
		t.Parallel()
		c := holdTwoOfTen(t)
		for range 4 { // the first is too early to count
			if found := c.after(t, time.Minute, c.read); len(found) > 0 {
				t.Errorf("want no breach, got %+v", found)
			}
		}
	})
	t.Run("a right answer between two wrong ones", func(t *testing.T) {
		t.Parallel()
		c := holdTwoOfTen(t)
		for _, vacancies := range []int{10, 8, 10} {
			c.state(vacancies, 10)
			if found := c.after(t, 4*time.Minute, c.pulled); len(found) > 0 {
				t.Errorf("want no breach, got %+v", found)
			}
		}
	})
	t.Run("a change of ours since the answer", func(t *testing.T) {
		t.Parallel()
		c := holdTwoOfTen(t)
		c.after(t, 4*time.Minute, c.pulled)
		c.exec(t, `UPDATE slots SET changed_at = news_at + interval '1 second', vacancies = 9 WHERE capacity = 10`)
		if found := c.found(t); len(found) > 0 {
			t.Errorf("want no breach by numbers of our own, got %+v", found)
		}
		if found := c.after(t, 4*time.Minute, c.pulled); len(found) != 1 {
			t.Errorf("want the doubt to last, got %+v", found)
		}
	})
}
