package webhook_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

func schedule(entries ...script.Scheduled) func(*webhook.Config) {
	return func(c *webhook.Config) { c.Schedule = entries }
}

func (p partner) name(slot int) *script.SlotName {
	return &script.SlotName{Product: product, Option: option, ID: p.slots[slot].ID}
}

func TestSlotsChangeWhenTheClockGetsThere(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, schedule(
		script.Scheduled{After: script.Span(30 * time.Minute), Slot: p.name(0), Set: &client.SlotChange{Vacancies: new(1)}},
		script.Scheduled{At: &script.Instant{Time: noon.Add(10 * time.Minute)}, Slot: p.name(0), Set: &client.SlotChange{Vacancies: new(2)}},
		script.Scheduled{After: script.Span(time.Hour), Slot: p.name(1), Set: &client.SlotChange{Status: new(partnerapi.StatusClosed)}},
	))
	p.clock.Advance(9 * time.Minute)
	if slot, _ := p.FindSlot(product, option, p.slots[0].ID); *slot.Vacancies != 9 {
		t.Errorf("want nothing to have changed yet, got %d vacancies", *slot.Vacancies)
	}
	p.clock.Advance(25 * time.Minute)
	if slot, _ := p.FindSlot(product, option, p.slots[0].ID); *slot.Vacancies != 1 {
		t.Errorf("want the change immediately, for the first caller, got %d vacancies", *slot.Vacancies)
	}
	p.ends(2)
	if got := fmt.Sprint(m.vacancies()); got != "[2 1]" {
		t.Errorf("Expected both, in the order of their times, received %s", got)
	}
	p.clock.Advance(time.Hour)
	p.ends(3) // without any call
	if got := m.notifications()[2].Status; got != partnerapi.StatusClosed {
		t.Errorf("want the slot closed, got %s", got)
	}
}

func TestTriggersAreSentByTheClock(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, schedule(script.Scheduled{Every: script.Span(10 * time.Minute)}, script.Scheduled{At: &script.Instant{Time: noon.Add(25 * time.Minute)}}))
	p.clock.Advance(10 * time.Minute)
	p.ends(1)
	p.clock.Advance(9 * time.Minute)
	p.clock.Advance(time.Minute)
	p.ends(2)
	p.clock.Advance(5 * time.Minute)
	p.ends(3)
	p.clock.Advance(24 * time.Hour) // a leap over many is one
	deliveries := p.ends(4)
	for _, d := range deliveries {
		if d.Kind != client.Trigger || d.Cause != webhook.Scheduled {
			t.Errorf("want triggers of the schedule, got %+v", d)
		}
	}
	if n := len(m.receivedCalls()); n != 4 {
		t.Errorf("want four calls, got %d", n)
	}
}

// A clock that runs needs no call and no move.
func TestARunningClockReachesATimerByItself(t *testing.T) {
	t.Parallel()
	m, p := open(t), runAt(t, clock.NewVirtual(nil))
	p.clock.Set(noon)
	p.notifies(m, schedule(script.Scheduled{After: script.Span(20 * time.Millisecond), Slot: p.name(0), Set: &client.SlotChange{Vacancies: new(1)}}))
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[1]" {
		t.Errorf("Expected the change to be reported, received %s", got)
	}
}

// A scenario need not know the ids of slots, which have dates in them.
func TestASlotCanBeNamedByItsDay(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	gone := client.SlotChange{Status: new(partnerapi.StatusSoldOut)}
	check(t, p.SetSlot(product, option, p.slots[0].ID, gone))
	want := slices.IndexFunc(p.slots[1:], func(s partnerapi.Slot) bool { return s.Status.IsBookable() }) + 1
	ahead := func(days int) *script.SlotName {
		return &script.SlotName{Product: product, Option: option, FromDay: new(days)}
	}
	p.notifies(m, schedule(
		script.Scheduled{After: script.Span(time.Minute), Slot: ahead(9), Set: &client.SlotChange{Vacancies: new(1)}},
		script.Scheduled{After: script.Span(2 * time.Minute), Slot: ahead(30), Set: &client.SlotChange{Vacancies: new(2)}},
	))
	p.clock.Advance(2 * time.Minute)
	p.ends(2)
	reported := m.notifications()
	if got := reported[0].AvailabilityID; got != p.slots[want].ID {
		t.Errorf("want the first slot that can be booked, %s, got %s", p.slots[want].ID, got)
	}
	if at := reported[1].LocalDateTimeStart; at < "2026-07-31" || at > "2026-08-03" {
		t.Errorf("want the first that can be booked 30 days from today or later, got one of %s", at)
	}
}

func TestAPlannedChangeOfAnUnknownSlotIsRefused(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	nowhere := &script.SlotName{Product: product, Option: option, ID: "nowhere"}
	err := p.sender.Configure(config(m, schedule(script.Scheduled{Every: script.Span(time.Hour)}, script.Scheduled{After: 1, Slot: nowhere, Set: &client.SlotChange{Vacancies: new(1)}})))
	if err == nil || !strings.Contains(err.Error(), `schedule[1].slot: option "breakfast" has no slot "nowhere"`) {
		t.Errorf("want the entry named, got %v", err)
	}
}

func TestAPlannedChangeThatCannotBeMadeIsReported(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.reserve(p.slots[0].ID, 5)
	p.notifies(m, schedule(
		script.Scheduled{After: script.Span(time.Minute), Slot: p.name(0), Set: &client.SlotChange{Capacity: new(2)}},
		script.Scheduled{After: script.Span(time.Minute), Slot: p.name(1), Set: &client.SlotChange{Vacancies: new(2)}},
	))
	p.clock.Advance(time.Minute)
	p.ends(1)
	if problems := p.sender.Status(webhook.Filter{}, 1).Problems; len(problems) != 1 || !strings.Contains(problems[0], p.slots[0].ID) {
		t.Errorf("want the slot named that could not be changed, got %q", problems)
	}
}

func TestAScheduleBeginsAgainWithARestart(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, schedule(script.Scheduled{After: script.Span(time.Minute), Slot: p.name(0), Set: &client.SlotChange{Vacancies: new(1)}}))
	p.clock.Advance(time.Minute)
	p.ends(1)
	p.set(p.slots[0].ID, 9)
	p.ends(2)
	p.sender.Restart()
	p.clock.Advance(time.Minute)
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[1 9 1]" {
		t.Errorf("want the change made again, got %s", got)
	}
}

// faultOnce is a fault of the first webhook that it fits.
func faultOnce(actions script.WebhookActions) func(*webhook.Config) {
	return withFault(script.WebhookFault{Name: "wrong", Times: 1, WebhookActions: actions})
}

func TestAWebhookIsSentTwiceOrNeverOrWithTheOldState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		actions    script.WebhookActions
		deliveries int
		first      client.DeliveryState
		reported   string
	}{
		"twice":           {script.WebhookActions{Duplicate: true}, 3, webhook.Delivered, "[3 3 2]"},
		"never":           {script.WebhookActions{Drop: true}, 2, webhook.Dropped, "[2]"},
		"as the slot was": {script.WebhookActions{Stale: true}, 2, webhook.Delivered, "[9 2]"},
	} {
		m, p := open(t), run(t)
		p.notifies(m, faultOnce(c.actions))
		p.set(p.slots[0].ID, 3)
		p.set(p.slots[0].ID, 2)
		deliveries := p.ends(c.deliveries)
		if got := fmt.Sprint(m.vacancies()); got != c.reported {
			t.Errorf("%s: Expected %s to be reported, received %s", name, c.reported, got)
		}
		if first, last := deliveries[0], deliveries[c.deliveries-1]; first.State != c.first || first.Fault != "wrong" || last.Fault != "" {
			t.Errorf("%s: want the fault named in what it did, got %+v", name, deliveries)
		}
	}
}

func TestAWebhookOvertakesTheOneBefore(t *testing.T) {
	t.Parallel()
	for after, want := range map[script.HoldBack]string{script.HoldBackSlot: "[5 2 3]", script.HoldBackAny: "[5 3 2]"} {
		m, p := open(t), run(t)
		p.notifies(m, withFault(script.WebhookFault{Match: script.WebhookMatch{Slot: p.slots[0].ID}, Times: 1, WebhookActions: script.WebhookActions{HoldBack: after}}))
		p.set(p.slots[0].ID, 3)
		if got := p.sender.Status(webhook.Filter{}, 1).Deliveries[0]; got.State != webhook.Held {
			t.Errorf("%s: want it held back, got %+v", after, got)
		}
		p.set(p.slots[1].ID, 5)
		p.endsAs(webhook.Filter{State: webhook.Delivered}, map[script.HoldBack]int{script.HoldBackSlot: 1, script.HoldBackAny: 2}[after])
		p.set(p.slots[0].ID, 2)
		p.ends(3)
		if got := fmt.Sprint(m.vacancies()); got != want {
			t.Errorf("%s: want %s, got %s", after, want, got)
		}
	}
}

func TestAWebhookPresentsAnotherSecretOrNone(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, faultOnce(script.WebhookActions{Secret: script.SecretWrong}), withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Secret: script.SecretMissing}}))
	for vacancies := range 3 {
		p.set(p.slots[0].ID, vacancies)
	}
	deliveries := p.ends(3)
	calls := m.receivedCalls()
	if wrong := calls[0].secret; wrong == secret || !regexp.MustCompile("^[0-9a-f]{64}$").MatchString(wrong) {
		t.Errorf("want another secret of the same form, got %q", wrong)
	}
	if calls[1].presented || calls[2].secret != secret {
		t.Errorf("want none, and then the right one, got %+v", calls[1:])
	}
	if deliveries[0].Presents != script.SecretWrong || deliveries[1].Presents != script.SecretMissing || deliveries[2].Presents != "" {
		t.Errorf("want it on record, got %+v", deliveries)
	}
}

func TestAWebhookNamesWhatIsUnknown(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, faultOnce(script.WebhookActions{Unknown: script.UnknownProduct}),
		withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Unknown: script.UnknownOption}}),
		withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Unknown: script.UnknownSlot}}))
	for vacancies := range 3 {
		p.set(p.slots[0].ID, vacancies)
	}
	p.ends(3)
	reported := m.notifications()
	if reported[0].ProductID == product || reported[0].OptionID != option ||
		reported[1].ProductID != product || reported[1].OptionID == option ||
		reported[2].OptionID != option || reported[2].AvailabilityID == p.slots[0].ID {
		t.Errorf("want an unknown product, option and slot, got %+v", reported)
	}
}

func TestAWebhookIsLateAndThoseOfItsSlotWait(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, faultOnce(script.WebhookActions{Delay: script.Duration(5 * time.Minute)}))
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	p.set(p.slots[1].ID, 1)
	p.endsAs(webhook.Filter{State: webhook.Delivered}, 1)
	if got := fmt.Sprint(m.vacancies()); got != "[1]" {
		t.Errorf("Expected only the other slot, received %s", got)
	}
	p.notifies(m, faultOnce(script.WebhookActions{Delay: script.Duration(time.Millisecond)}))
	p.set(p.slots[0].ID, 3)
	p.endsAs(webhook.Filter{State: webhook.Delivered}, 2)
}

func TestFaultsChooseByKindSlotAndCount(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	drop := script.WebhookActions{Drop: true}
	p.notifies(m,
		withFault(script.WebhookFault{Name: "triggers", Match: script.WebhookMatch{Kind: client.Trigger}, WebhookActions: drop}),
		withFault(script.WebhookFault{Name: "second-of-each", Key: script.KeySlot, After: &script.Bound{Matches: 1}, Times: 1, WebhookActions: drop}),
		withFault(script.WebhookFault{Name: "elsewhere", Match: script.WebhookMatch{Product: "another"}, WebhookActions: drop}),
	)
	if _, err := p.sender.Trigger(); err != nil {
		t.Fatal(err)
	}
	for vacancies := range 3 {
		p.set(p.slots[0].ID, vacancies)
		p.set(p.slots[1].ID, vacancies)
	}
	p.ends(7)
	if got := fmt.Sprint(m.vacancies()); got != "[0 0 2 2]" || len(m.receivedCalls()) != 4 {
		t.Errorf("want the trigger and the second of each slot lost, got %s", got)
	}
	fired := map[string]uint64{}
	for _, f := range p.sender.Status(webhook.Filter{}, 0).Faults {
		fired[f.Name] = f.Fired
	}
	if fired["triggers"] != 1 || fired["second-of-each"] != 2 || fired["elsewhere"] != 0 {
		t.Errorf("want them counted, got %v", fired)
	}
}

// What a probability decides follows from seed, fault, key and count alone.
func TestTheSameChancesAreTakenAgain(t *testing.T) {
	t.Parallel()
	lost := func() (numbers []uint64) {
		m, p := open(t), run(t)
		p.notifies(m, withFault(script.WebhookFault{Probability: new(0.5), WebhookActions: script.WebhookActions{Drop: true}}))
		for i := range 40 {
			p.set(p.slots[0].ID, i%3)
		}
		p.ends(40)
		for _, d := range p.sender.Status(webhook.Filter{State: webhook.Dropped}, 100).Deliveries {
			numbers = append(numbers, d.Number)
		}
		return numbers
	}
	first, second := lost(), lost()
	if !slices.Equal(first, second) || len(first) < 8 || len(first) > 32 {
		t.Errorf("want the same half lost both times, got %v and %v", first, second)
	}
}
