package catalog_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/schemas/partnerapi"
)

// tamper changes stored slots without a trace, so that only a pull that reads them notices.
func (b *slotBench) tamper(t *testing.T) {
	t.Helper()
	pgtest.Exec(t, b.store, `ALTER TABLE slots DISABLE TRIGGER USER`)
	pgtest.Exec(t, b.store, `UPDATE slots SET vacancies = 1`)
	pgtest.Exec(t, b.store, `ALTER TABLE slots ENABLE TRIGGER USER`)
}

func TestAPullReadsOnlyTheSlotsOfDaysThatDiffer(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-02"), slot("c", "2026-07-03"))
	b.tamper(t)
	if made := b.pull(t, slot("c", "2026-07-03"), slot("a", "2026-07-01"), slot("b", "2026-07-02")); made.Written != 0 || made.Slots != 3 {
		t.Errorf("want an equal answer in another order not compared with its slots, got %+v", made)
	}
	b.want(t, "a 07-01 AVAILABLE 1/10", "b 07-02 AVAILABLE 1/10", "c 07-03 AVAILABLE 1/10")
	if made := b.pull(t, slot("a", "2026-07-01"), slot("b", "2026-07-02", `"status":"LIMITED"`), slot("c", "2026-07-03")); made.Written != 1 || made.Slots != 3 {
		t.Errorf("want the slots of the second day compared, got %+v", made)
	}
	if made := b.pull(t, slot("a", "2026-07-01"), slot("c", "2026-07-03")); made.Closed != 1 {
		t.Errorf("want the slot of the second day closed, got %+v", made)
	}
	b.want(t, "a 07-01 AVAILABLE 1/10", "b 07-02 CLOSED ?/?", "c 07-03 AVAILABLE 1/10")
	b.at = b.at.AddDate(0, 0, 1)
	if made := b.pull(t, slot("c", "2026-07-03"), slot("d", "2026-08-31")); made.Written != 1 || made.Closed != 0 {
		t.Errorf("want the day that has come into the window read, and no other, got %+v", made)
	}
	b.want(t, "a 07-01 AVAILABLE 1/10", "b 07-02 CLOSED ?/?", "c 07-03 AVAILABLE 1/10", "d 08-31 AVAILABLE 8/10")
}

func TestASlotThatAnotherHasChangedIsCorrectedByAnEqualAnswer(t *testing.T) {
	t.Parallel()
	exec := func(statement string) func(*testing.T, *slotBench) {
		return func(t *testing.T, b *slotBench) { pgtest.Exec(t, b.store, statement) }
	}
	for name, change := range map[string]func(*testing.T, *slotBench){
		"a notification":               func(t *testing.T, b *slotBench) { b.notify(t, b.at, "a", "2026-07-02", `"status":"SOLD_OUT"`) },
		"a notification that moves it": func(t *testing.T, b *slotBench) { b.notify(t, b.at, "a", "2026-07-05", `"status":"AVAILABLE"`) },
		"a notification of a new slot": func(t *testing.T, b *slotBench) { b.notify(t, b.at, "new", "2026-07-02", `"status":"AVAILABLE"`) },
		"a checkout's answer": func(t *testing.T, b *slotBench) {
			check(t, b.store.Bookings.KeepFresh(t.Context(), booking.Fresh{Variation: b.option.VariationID, Asked: "a", At: b.at, Slot: &domain.Slot{
				ID: "a", LocalDate: time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC), Start: time.Date(2026, 7, 2, 9, 0, 0, 0, time.UTC),
				End: time.Date(2026, 7, 2, 11, 0, 0, 0, time.UTC), Status: partnerapi.StatusSoldOut}}))
		},
		"a checkout's answer without it": func(t *testing.T, b *slotBench) {
			check(t, b.store.Bookings.KeepFresh(t.Context(), booking.Fresh{Variation: b.option.VariationID, Asked: "a", At: b.at, Gone: true}))
		},
		"a booking's seats":       exec(`UPDATE slots SET vacancies = 7, changed_at = news_at WHERE availability_id = 'a'`),
		"a person who closes it":  exec(`UPDATE slots SET status = 'CLOSED' WHERE availability_id = 'a'`),
		"a person who deletes it": exec(`DELETE FROM slots WHERE availability_id = 'a'`),
		"a pull of an earlier release": func(t *testing.T, b *slotBench) {
			pgtest.Exec(t, b.store, `UPDATE slot_pulls SET sent_at = $1`, b.at)
			pgtest.Exec(t, b.store, `UPDATE slots SET vacancies = 2, news_at = $1 WHERE availability_id = 'a'`, b.at)
		},
		"an age in the future": func(t *testing.T, b *slotBench) {
			// The next pull is older than the change and leaves it. The one after that corrects it.
			pgtest.Exec(t, b.store, `UPDATE slots SET vacancies = 7, changed_at = $1 WHERE availability_id = 'a'`, b.at.Add(90*time.Second))
			b.pull(t, slot("a", "2026-07-02"), slot("b", "2026-07-03"))
			b.want(t, "a 07-02 AVAILABLE 7/10", "b 07-03 AVAILABLE 8/10")
		},
		"a second change of one that was read": func(t *testing.T, b *slotBench) {
			pgtest.Exec(t, b.store, `UPDATE slots SET vacancies = 7 WHERE availability_id = 'a'`)
			b.pull(t, slot("a", "2026-07-02"), slot("b", "2026-07-03"))
			pgtest.Exec(t, b.store, `UPDATE slots SET vacancies = 6 WHERE availability_id = 'a'`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupSlots(t)
			answer := []string{slot("a", "2026-07-02"), slot("b", "2026-07-03")}
			b.pull(t, answer...)
			b.pull(t, answer...)
			b.at = b.at.Add(time.Second)
			change(t, b)
			b.pull(t, answer...)
			if got := b.open(t); got != "a 07-02 AVAILABLE 8/10, b 07-03 AVAILABLE 8/10" {
				t.Errorf("want the slots of the answer, got %s", got)
			}
			if left := countRows(t, b.store, `SELECT count(*) FROM slot_edits`); left != 0 {
				t.Errorf("want no edit left, got %d", left)
			}
			b.tamper(t)
			if made := b.pull(t, answer...); made.Written != 0 {
				t.Errorf("want the slots not read again, got %+v", made)
			}
		})
	}
}

func countRows(t *testing.T, store *postgres.Store, query string) (n int) {
	t.Helper()
	check(t, store.Pool().QueryRow(t.Context(), query).Scan(&n))
	return n
}

// open lists the slots that are not closed, in order.
func (b *slotBench) open(t *testing.T) string {
	t.Helper()
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.option.VariationID}, b.at.AddDate(0, 0, -9), b.at.AddDate(1, 0, 0))
	check(t, err)
	var list []string
	for _, s := range slots {
		if s.Status != partnerapi.StatusClosed {
			list = append(list, fmt.Sprintf("%s %s %s %s/%s", s.ID, s.LocalDate.Format("01-02"), s.Status, seats(s.Vacancies), seats(s.Capacity)))
		}
	}
	return strings.Join(list, ", ")
}

func TestAnOptionWhoseEditsAreForgottenIsReadAgain(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-02"), slot("b", "2026-07-03"))
	b.notify(t, b.at, "a", "2026-07-02", `"status":"SOLD_OUT"`)
	for _, c := range []struct {
		before time.Time
		want   int64
	}{{b.at, 0}, {b.at.Add(time.Second), 1}} {
		if got, err := b.store.Catalog.ForgetSlotEdits(t.Context(), c.before, 10); err != nil || got != c.want {
			t.Errorf("want %d forgotten, got %d, %v", c.want, got, err)
		}
	}
	b.tamper(t)
	if made := b.pull(t, slot("a", "2026-07-02"), slot("b", "2026-07-03")); made.Written != 2 {
		t.Errorf("want every slot read, got %+v", made)
	}
}

func TestWhatAnInvalidSlotLeavesOpenIsClosedOnceItIsGone(t *testing.T) {
	t.Parallel()
	for name, invalid := range map[string]string{
		"with the id of a slot on another day": slot("a", "2026-07-04", `"status":"ODD"`),
		"without an id":                        strings.Replace(slot("a", "2026-07-04"), `"id"`, `"noId"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupSlots(t)
			b.pull(t, slot("a", "2026-07-02"), slot("b", "2026-07-03"))
			b.pull(t, invalid, slot("b", "2026-07-03"))
			if got := b.open(t); got != "a 07-02 AVAILABLE 8/10, b 07-03 AVAILABLE 8/10" {
				t.Errorf("want the slot left as it was, got %s", got)
			}
			b.pull(t, slot("b", "2026-07-03"))
			if got := b.open(t); got != "b 07-03 AVAILABLE 8/10" {
				t.Errorf("want it closed, got %s", got)
			}
		})
	}
}

func TestAnIDOfSlotsWithDifferentStartsIsNotSoldUntilOneIsLeft(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-02"))
	b.pull(t, slot("a", "2026-07-02"), slot("a", "2026-07-03"))
	if got := b.open(t); got != "" {
		t.Errorf("want neither sold, got %s", got)
	}
	b.pull(t, slot("a", "2026-07-03"))
	if got := b.open(t); got != "a 07-03 AVAILABLE 8/10" {
		t.Errorf("want the one that is left, got %s", got)
	}
}

func TestAChangeDuringAPullHasTheOptionPulledAgain(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	answer := []string{slot("a", "2026-07-02"), slot("b", "2026-07-03")}
	b.pull(t, answer...)
	known, calls := b.known(t), 0
	b.at = b.at.Add(time.Minute)
	b.notify(t, b.at, "a", "2026-07-02", `"status":"SOLD_OUT"`)
	b.at = b.at.Add(time.Minute)
	pull := func(known catalog.SlotOption) {
		made, err := catalog.NewSlotPuller(b.store.Catalog, answers(func(partnerapi.AvailabilityRequest) string {
			calls++
			return "[" + strings.Join(answer, ",") + "]"
		}), b.now).Pull(t.Context(), b.target, known)
		if err != nil || made.Written != 1 {
			t.Errorf("want the slot corrected, got %+v, %v", made, err)
		}
	}
	if pull(known); calls != 2 {
		t.Errorf("want a second call, got %d", calls)
	}
	// A notification that is stored while the pull waits for it.
	known, calls = b.known(t), 0
	b.at = b.at.Add(time.Minute)
	tx, err := b.store.Pool().Begin(t.Context())
	check(t, err)
	for _, statement := range []string{`SELECT FROM slot_pulls FOR UPDATE`, `UPDATE slots SET vacancies = 2 WHERE availability_id = 'a'`} {
		_, err := tx.Exec(t.Context(), statement)
		check(t, err)
	}
	var done sync.WaitGroup
	done.Go(func() { pull(known) })
	waittest.Until(t, "the pull waiting", func() bool {
		return countRows(t, b.store, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`) > 0
	})
	check(t, tx.Commit(t.Context()))
	if done.Wait(); calls != 2 {
		t.Errorf("want a second call, got %d", calls)
	}
}

func TestADayIsReadAgainByOtherRulesAndInAnotherZone(t *testing.T) {
	t.Parallel()
	b := setupSlots(t)
	b.pull(t, slot("a", "2026-07-02"))
	pgtest.Exec(t, b.store, `UPDATE activities SET product = jsonb_set(product, '{timeZone}', '"Pacific/Kiritimati"')`)
	b.pull(t, slot("a", "2026-07-02"))
	b.want(t, "a 07-02 AVAILABLE 8/10") // 23:00 there
	b.tamper(t)
	pgtest.Exec(t, b.store, `UPDATE slot_pulls SET days = overlay(days PLACING '\x00'::bytea FROM 13)`) // a hash by other rules, of the second day
	if made := b.pull(t, slot("a", "2026-07-02")); made.Written != 1 {
		t.Errorf("want the day read, got %+v", made)
	}
}

// A pull that skips days leaves what a pull that reads every slot leaves.
func TestAPullThatSkipsDaysStoresWhatACompleteOneDoes(t *testing.T) {
	t.Parallel()
	of := setup(t)
	of.sync(t, catalog.Full, product("complete"), product("skipping"))
	begin := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	options := func() map[string]catalog.SlotOption {
		all, err := of.store.Catalog.OptionsToPull(t.Context(), of.target.ID, begin.AddDate(99, 0, 0), uuid.Nil, 10)
		check(t, err)
		found := map[string]catalog.SlotOption{}
		for _, o := range all {
			found[o.ProductID] = o
		}
		return found
	}
	both := options()
	skipped := 0
	rapid.Check(t, func(r *rapid.T) {
		for _, table := range []string{"slots", "slot_pulls", "slot_edits"} {
			pgtest.Exec(r, of.store, `DELETE FROM `+table)
		}
		pgtest.Exec(r, of.store, `UPDATE variations SET capacity = 0`)
		var answer []string
		at := begin
		steps := rapid.IntRange(2, 9).Draw(r, "steps")
		for n := range steps {
			at = at.Add(time.Minute)
			switch step := rapid.IntRange(0, 9).Draw(r, "step"); {
			case n == 0:
				answer = rapid.SliceOfN(rapid.Custom(drawSlot), 1, 5).Draw(r, "answer")
			case n == 1: // the same again, so that every run skips days
			case step < 2:
				answer = rapid.SliceOfN(rapid.Custom(drawSlot), 0, 5).Draw(r, "answer")
			case step == 2 && len(answer) > 0: // one slot differs
				answer[rapid.IntRange(0, len(answer)-1).Draw(r, "at")] = rapid.Custom(drawSlot).Draw(r, "slot")
			case step == 3 && len(answer) > 0:
				answer = answer[1:]
			case step == 4:
				at = at.AddDate(0, 0, 1)
			case step == 5:
				id, day, status := drawID(r), drawDay(r), rapid.SampledFrom([]string{"AVAILABLE", "CLOSED"}).Draw(r, "status")
				for name := range both {
					n, err := catalog.ReadNotification(fmt.Appendf(nil, `{"productId":%q,"optionId":"morning","availabilityId":%q,"localDateTimeStart":"%sT10:00:00+01:00","status":%q,"vacancies":2}`, name, id, day, status), at)
					check(r, err)
					check(r, catalog.NewNotifier(of.store.Catalog).Notify(t.Context(), of.target.ID, n))
				}
			case step == 6:
				ahead := time.Duration(rapid.IntRange(-90, 90).Draw(r, "age")) * time.Second
				pgtest.Exec(r, of.store, `UPDATE slots SET vacancies = 1, changed_at = $1 WHERE availability_id = $2`, at.Add(ahead), drawID(r))
			}
			body := "[" + strings.Join(answer, ",") + "]"
			now := options()
			skipping, complete := now["skipping"], now["complete"]
			complete.Stored = catalog.StoredSlots{}
			puller := catalog.NewSlotPuller(of.store.Catalog, answers(func(partnerapi.AvailabilityRequest) string { return body }), func() time.Time { return at })
			made, err := puller.Pull(t.Context(), of.target, skipping)
			check(r, err)
			want, err := puller.Pull(t.Context(), of.target, complete)
			check(r, err)
			if fmt.Sprint(made.Slots, made.Late, made.SetAside) != fmt.Sprint(want.Slots, want.Late, want.SetAside) {
				r.Fatalf("want %+v\ngot  %+v", want, made)
			}
			skipped += made.Skipped
			state := func(name string) (text string) {
				check(r, of.store.Pool().QueryRow(t.Context(), `
					SELECT format('%s %s %s %s', p.sent_at, p.set_aside, p.currencies, v.capacity) || coalesce((
						SELECT string_agg(format(E'\n%s %s %s %s %s %s %s', s.availability_id, s.local_date, s.starts_at, s.status, s.vacancies, s.capacity, s.unit_pricing), '' ORDER BY s.availability_id)
						FROM slots s WHERE s.variation_id = v.id), '')
					FROM variations v JOIN slot_pulls p ON p.variation_id = v.id WHERE v.id = $1`, both[name].VariationID).Scan(&text))
				return text
			}
			if got, want := state("skipping"), state("complete"); got != want {
				r.Fatalf("want %s\ngot  %s", want, got)
			}
		}
	})
	if skipped == 0 {
		t.Error("want some slots skipped")
	}
}

func drawID(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id") }

func drawDay(t *rapid.T) string {
	return rapid.SampledFrom([]string{"2026-07-01", "2026-07-02", "2026-07-03", "2026-08-31", "2026-09-01", "2026-12-01"}).Draw(t, "day")
}

// drawSlot draws a slot, sometimes an invalid one.
func drawSlot(t *rapid.T) string {
	fields := rapid.SampledFrom([]string{
		`"status":"AVAILABLE","vacancies":3,"capacity":5`, `"status":"AVAILABLE","vacancies":8,"capacity":10`, `"status":"FREESALE"`, `"status":"CLOSED","capacity":20`, `"status":"ODD"`,
		`"status":"AVAILABLE","unitPricing":[{"unitId":"unit-adult","unitType":"ADULT","original":1,"currency":"EUR"}]`,
		`"status":"AVAILABLE","unitPricing":[{"unitId":"unit-adult","unitType":"ADULT","original":1,"currency":"U\u0053D"}]`,
	}).Draw(t, "fields")
	text := slot(drawID(t), drawDay(t), fields)
	return strings.Replace(text, `"id"`, rapid.SampledFrom([]string{`"id"`, `"id"`, `"id"`, `"id"`, `"id"`, `"noId"`}).Draw(t, "name"), 1)
}
