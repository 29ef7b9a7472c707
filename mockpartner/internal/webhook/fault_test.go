package webhook_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// once is a fault of the first webhook that it fits.
func once(actions script.WebhookActions) func(*webhook.Config) {
	return withFault(script.WebhookFault{Name: "wrong", Times: 1, WebhookActions: actions})
}

func TestAWebhookIsSentTwice(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, once(script.WebhookActions{Duplicate: true}))
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	deliveries := p.ends(3)
	if got := fmt.Sprint(m.vacancies()); got != "[3 3 2]" {
		t.Errorf("want the first told twice, got %s", got)
	}
	if deliveries[0].Fault != "wrong" || deliveries[1].Fault != "wrong" || deliveries[2].Fault != "" {
		t.Errorf("want the fault named, got %+v", deliveries)
	}
}

func TestAWebhookIsNeverSent(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, once(script.WebhookActions{Drop: true}))
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	if got := p.ends(2)[0]; got.State != webhook.Dropped || got.Fault != "wrong" || len(got.Attempts) != 0 {
		t.Errorf("want it dropped by the fault, got %+v", got)
	}
	if got := fmt.Sprint(m.vacancies()); got != "[2]" {
		t.Errorf("want the second told alone, got %s", got)
	}
}

func TestAWebhookOvertakesTheOneBefore(t *testing.T) {
	t.Parallel()
	for after, want := range map[script.HoldBack]string{script.HoldBackSlot: "[5 2 3]", script.HoldBackAny: "[5 3 2]"} {
		m, p := open(t), run(t)
		p.tells(m, withFault(script.WebhookFault{Match: script.WebhookMatch{Slot: p.slots[0].ID}, Times: 1, WebhookActions: script.WebhookActions{HoldBack: after}}))
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

func TestAWebhookTellsHowTheSlotWasBefore(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, once(script.WebhookActions{Stale: true}))
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	p.ends(2)
	if got := fmt.Sprint(m.vacancies()); got != "[9 2]" {
		t.Errorf("want the state before the change and then the right one, got %s", got)
	}
}

func TestAWebhookPresentsAnotherSecretOrNone(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, once(script.WebhookActions{Secret: script.SecretWrong}), withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Secret: script.SecretMissing}}))
	for vacancies := range 3 {
		p.set(p.slots[0].ID, vacancies)
	}
	deliveries := p.ends(3)
	calls := m.seen()
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
	p.tells(m, once(script.WebhookActions{Unknown: script.UnknownProduct}),
		withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Unknown: script.UnknownOption}}),
		withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Unknown: script.UnknownSlot}}))
	for vacancies := range 3 {
		p.set(p.slots[0].ID, vacancies)
	}
	p.ends(3)
	told := m.told()
	if told[0].ProductID == product || told[0].OptionID != option ||
		told[1].ProductID != product || told[1].OptionID == option ||
		told[2].OptionID != option || told[2].AvailabilityID == p.slots[0].ID {
		t.Errorf("want an unknown product, option and slot, got %+v", told)
	}
}

func TestAWebhookIsLateAndThoseOfItsSlotWait(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.tells(m, once(script.WebhookActions{Delay: script.Duration(5 * time.Minute)}))
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	p.set(p.slots[1].ID, 1)
	p.endsAs(webhook.Filter{State: webhook.Delivered}, 1)
	if got := fmt.Sprint(m.vacancies()); got != "[1]" {
		t.Errorf("want the other slot told alone, got %s", got)
	}
	p.tells(m, once(script.WebhookActions{Delay: script.Duration(time.Millisecond)}))
	p.set(p.slots[0].ID, 3)
	p.endsAs(webhook.Filter{State: webhook.Delivered}, 2)
}

func TestFaultsChooseByKindSlotAndCount(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	drop := script.WebhookActions{Drop: true}
	p.tells(m,
		withFault(script.WebhookFault{Name: "triggers", Match: script.WebhookMatch{Kind: script.Trigger}, WebhookActions: drop}),
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
	if got := fmt.Sprint(m.vacancies()); got != "[0 0 2 2]" || len(m.seen()) != 4 {
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
		p.tells(m, withFault(script.WebhookFault{Probability: new(0.5), WebhookActions: script.WebhookActions{Drop: true}}))
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
