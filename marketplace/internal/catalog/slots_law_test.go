package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/schemas/partnerapi"
)

// partnerMessage is the partner's state of one slot or of all, at one moment.
type partnerMessage struct {
	notified string            // a slot's id; "": it is the answer to a pull
	slots    map[string]string // fields, by slot
}

// invariantSlots lists the slots of the test's partner.
var invariantSlots = []string{"a", "b", "c"}

func drawMessage(t *rapid.T) partnerMessage {
	fields := rapid.Custom(func(t *rapid.T) string {
		status := rapid.SampledFrom([]string{"AVAILABLE", "LIMITED", "CLOSED"}).Draw(t, "status")
		n := rapid.IntRange(0, 3).Draw(t, "seats")
		return fmt.Sprintf(`"status":%q,"vacancies":%d,"capacity":%d`, status, n, n)
	})
	if rapid.Bool().Draw(t, "notified") {
		id := rapid.SampledFrom(invariantSlots).Draw(t, "slot")
		return partnerMessage{notified: id, slots: map[string]string{id: fields.Draw(t, "news")}}
	}
	if rapid.Bool().Draw(t, "usual") { // often the same again
		return partnerMessage{slots: map[string]string{"a": usualFields, "c": usualFields}}
	}
	return partnerMessage{slots: rapid.MapOf(rapid.SampledFrom(invariantSlots), fields).Draw(t, "answer")}
}

const usualFields = `"status":"AVAILABLE","vacancies":3,"capacity":3`

// invariantDay returns the day of one of the test's slots.
func invariantDay(id string) string {
	if id == "c" {
		return "2026-07-02"
	}
	return "2026-07-01"
}

// The partner's last message about a slot wins, in whatever order messages arrive. A closed
// slot and an unknown one are equal.
func TestConcurrentWritersKeepTheNewestState(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	begin := b.at
	rapid.Check(t, func(r *rapid.T) {
		pgtest.Exec(r, b.store, `DELETE FROM slots`)
		pgtest.Exec(r, b.store, `DELETE FROM slot_pulls`)
		messages := rapid.SliceOfN(rapid.Custom(drawMessage), 1, 8).Draw(r, "messages")
		order := rapid.Permutation(indexes(len(messages))).Draw(r, "order")
		var all sync.WaitGroup
		for _, writer := range slices.Collect(slices.Chunk(order, (len(order)+2)/3)) { // at most three
			all.Go(func() {
				for _, i := range writer {
					if err := b.write(t, messages[i], begin.Add(time.Duration(i+1)*time.Second)); err != nil {
						r.Error(err)
					}
				}
			})
		}
		all.Wait()
		want := map[string]string{}
		for _, s := range messages {
			if s.notified == "" {
				clear(want)
			}
			for id, fields := range s.slots {
				if want[id] = fields; strings.Contains(fields, "CLOSED") {
					delete(want, id)
				}
			}
		}
		slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.option.VariationID}, begin.AddDate(0, 0, -2), begin.AddDate(0, 0, 2))
		check(r, err)
		got := map[string]string{}
		for _, s := range slots {
			if s.Status != partnerapi.StatusClosed {
				got[s.ID] = fmt.Sprintf(`"status":%q,"vacancies":%s,"capacity":%s`, s.Status, seats(s.Vacancies), seats(s.Capacity))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.Errorf("want %v\ngot  %v", want, got)
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// write delivers a message that was sent at that time.
func (b *slotBench) write(t *testing.T, s partnerMessage, at time.Time) error {
	if s.notified != "" {
		n, err := catalog.ReadNotification(fmt.Appendf(nil,
			`{"productId":"walk","optionId":"morning","availabilityId":%q,"localDateTimeStart":"%[2]sT10:00:00+01:00","localDateTimeEnd":"%[2]sT12:00:00+01:00",%[3]s}`,
			s.notified, invariantDay(s.notified), s.slots[s.notified]), at)
		if err != nil {
			return err
		}
		return catalog.NewNotifier(b.store.Catalog).Notify(t.Context(), b.target.ID, n)
	}
	var slots []string
	for id, fields := range s.slots {
		slots = append(slots, slot(id, invariantDay(id), fields))
	}
	body := "[" + strings.Join(slots, ",") + "]"
	puller := catalog.NewSlotPuller(b.store.Catalog, answers(func(partnerapi.AvailabilityRequest) string { return body }), func() time.Time { return at })
	_, err := puller.Pull(t.Context(), b.target, b.known(t))
	return err
}
