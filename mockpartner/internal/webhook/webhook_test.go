package webhook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

func TestASlotThatStaffChangeIsNotifiedWithTheSecret(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m)
	p.set(p.slots[0].ID, 3)
	p.ends(1)
	reported := m.notifications()
	if len(reported) != 1 {
		t.Fatalf("want one notification, got %+v", reported)
	}
	got := reported[0]
	if got.ProductID != product || got.OptionID != option || got.AvailabilityID != p.slots[0].ID || *got.Vacancies != 3 || *got.Capacity != 10 || got.Status != partnerapi.StatusLimited ||
		got.LocalDateTimeStart != p.slots[0].LocalDateTimeStart || got.LocalDateTimeEnd != p.slots[0].LocalDateTimeEnd {
		t.Errorf("want the slot as availability shows it, got %+v", got)
	}
	if call := m.receivedCalls()[0]; call.secret != secret {
		t.Errorf("want the secret, got %q", call.secret)
	}
}

func TestAChangedCatalogIsAnnouncedByATriggerWithoutABody(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m)
	if err := p.SellInstead(func(sold *catalog.Index, _ time.Time) (*catalog.Index, error) {
		return sold.WithoutProduct("lisbon-walk")
	}); err != nil {
		t.Fatal(err)
	}
	p.ends(1)
	if call := m.receivedCalls()[0]; call != (call0("POST /sync/trigger")) {
		t.Errorf("want a trigger with the secret and no body, got %+v", call)
	}
	check(t, p.Sell(&catalog.Catalog{Products: p.Catalog().Catalog().Products}))
	p.set(p.slots[0].ID, 3)
	if deliveries := p.ends(2); deliveries[1].Kind != client.Notify {
		t.Errorf("want no trigger for a catalog that is as it was, got %+v", deliveries)
	}
}

func call0(path string) call { return call{path: path, secret: secret, presented: true} }

func TestBookingsSendWebhooksIfTheyAreSwitchedOn(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, onCauses(client.BookingChange))
	p.set(p.slots[0].ID, 8) // by staff: no webhook
	hold := p.reserve(p.slots[0].ID, 2)
	if _, err := p.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, nil); err != nil { // moves no seats
		t.Fatal(err)
	}
	released := p.reserve(p.slots[0].ID, 1)
	p.Release(released.Code, nil)
	booking, _ := p.FindHold(hold.Code)
	p.Cancel(booking.BookingID, nil)
	p.reserve(p.slots[0].ID, 4)
	p.ends(5)
	p.clock.Advance(25 * time.Minute) // the last one expires, without any call
	p.ends(6)
	if got, want := fmt.Sprint(m.vacancies()), "[6 5 6 8 4 8]"; got != want {
		t.Errorf("want the vacancies %s, got %s", want, got)
	}
}

func TestHoldsSendNoWebhooksByDefault(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m)
	p.reserve(p.slots[0].ID, 2)
	p.set(p.slots[0].ID, 5)
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[5]" {
		t.Errorf("want staff's change alone, got %s", got)
	}
}

func TestAWebhookIsRepeatedUntilTheMarketplaceAcceptsIt(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.answers(func(n int, w http.ResponseWriter) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			panic(http.ErrAbortHandler) // no answer at all
		}
	})
	p.notifies(m)
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	deliveries := p.ends(2)
	if got := fmt.Sprint(m.vacancies()); got != "[3 3 3 3 2]" {
		t.Errorf("Expected the first until it is accepted, and only then the second, received %s", got)
	}
	first := deliveries[0]
	var statuses []int
	for _, attempt := range first.Attempts {
		statuses = append(statuses, attempt.Status)
	}
	if first.State != webhook.Delivered || fmt.Sprint(statuses) != "[503 429 0 200]" || first.Attempts[2].Error == "" {
		t.Errorf("want its attempts on record, got %+v", first)
	}
}

func TestOneSlotDoesNotWaitForAnother(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.answers(func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p.notifies(m, func(c *webhook.Config) {
		c.Retries = script.Retries{Backoff: script.Duration(5 * time.Minute), Max: script.Duration(5 * time.Minute)}
	})
	p.set(p.slots[0].ID, 3)
	p.set(p.slots[0].ID, 2)
	p.set(p.slots[1].ID, 1)
	delivered := p.endsAs(webhook.Filter{State: webhook.Delivered}, 1)
	if got := delivered[0]; got.Number != 3 {
		t.Errorf("Expected the other slot's notification meanwhile, received %+v", got)
	}
	if got := fmt.Sprint(m.vacancies()); got != "[3 1]" {
		t.Errorf("want the slot's second one to wait for its first, got %s", got)
	}
}

func TestAnAnswerThatRefusesIsFinal(t *testing.T) {
	t.Parallel()
	for status, reason := range map[int]string{400: "answered with 400", 401: "answered with 401", 404: "answered with 404", 307: "redirects are not followed"} {
		m, p := open(t), run(t)
		m.answers(func(_ int, w http.ResponseWriter) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
		p.notifies(m)
		p.set(p.slots[0].ID, 3)
		if got := p.ends(1)[0]; got.State != webhook.Failed || len(got.Attempts) != 1 || !strings.Contains(got.Reason, reason) {
			t.Errorf("%d: want it to have failed once, because it was %s, got %+v", status, reason, got)
		}
		if n := len(m.receivedCalls()); n != 1 {
			t.Errorf("%d: want one call, got %d", status, n)
		}
	}
}

func TestAWebhookIsGivenUpAfterTheMaximumOfAttempts(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.answers(func(_ int, w http.ResponseWriter) { w.WriteHeader(500) })
	p.notifies(m, func(c *webhook.Config) { c.Retries.Attempts = 3 })
	if _, err := p.sender.Trigger(); err != nil {
		t.Fatal(err)
	}
	if got := p.ends(1)[0]; got.State != webhook.Failed || len(got.Attempts) != 3 || got.Cause != webhook.Asked {
		t.Errorf("want it given up after three attempts, got %+v", got)
	}
}

func TestAMarketplaceThatNeverAnswersIsWaitedForNoLongerThanSaid(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.hangs()
	p.notifies(m, func(c *webhook.Config) {
		c.Timeout, c.Retries.Attempts = script.Duration(10*time.Millisecond), 1
	})
	p.set(p.slots[0].ID, 3)
	if got := p.ends(1)[0]; got.State != webhook.Failed || !strings.Contains(got.Reason, "no complete answer within 10ms") {
		t.Errorf("want it to have failed for the time it took, got %+v", got)
	}
}

func TestTheSecretIsInNothingThatCanBeSeen(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.answers(func(n int, w http.ResponseWriter) {
		if n == 1 {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(connection, "HTTP/1.1 %s\r\n\r\n", secret) // it comes back in an error
			connection.Close()
			return
		}
		w.WriteHeader(400)
		fmt.Fprintf(w, "%swrong secret: %s", strings.Repeat("x", 480), secret)
	})
	c := config(m)
	check(t, p.sender.Configure(c))
	p.set(p.slots[0].ID, 3)
	got := p.ends(1)[0]
	if len(got.Attempts) != 2 || !strings.Contains(got.Attempts[0].Error, "[redacted]") || len(got.Attempts[1].Answer) > 512 {
		t.Fatalf("Expected the marketplace to receive the secret twice, received %+v", got)
	}
	text, err := json.Marshal(p.sender.Status(webhook.Filter{}, 10))
	check(t, err)
	for what, shown := range map[string]string{
		"status": string(text), "%v": fmt.Sprintf("%v %+v", c, c), "%#v": fmt.Sprintf("%#v", c), "text": fmt.Sprint(c.Secret),
	} {
		if strings.Contains(shown, secret[:16]) {
			t.Errorf("%s: want no secret, got %s", what, shown)
		}
	}
}

func TestAFullQueueDropsCallsAndReportsThem(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	m.arrive = make(chan struct{}, 1)
	m.hangs()
	p.notifies(m)
	p.set(p.slots[0].ID, 3)
	<-m.arrive // it fills the queue while it is being answered
	for i := range webhook.MaxQueue + 9 {
		p.set(p.slots[1].ID, 4+i%2)
	}
	status := p.sender.Status(webhook.Filter{State: webhook.Dropped}, 100)
	if status.Counts.Waiting != webhook.MaxQueue || status.Counts.Overflow != 10 || status.Counts.Dropped != 10 || len(status.Deliveries) != 10 {
		t.Errorf("want %d to wait and 10 dropped, got %+v", webhook.MaxQueue, status.Counts)
	}
}

func TestOnlySoManyAreKeptOnRecord(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m)
	const all = 1100
	for n := range all {
		if _, err := p.sender.Trigger(); err != nil {
			t.Fatal(err)
		}
		if n%100 == 99 {
			p.ends(n + 1)
		}
	}
	if kept := p.sender.Status(webhook.Filter{}, 5000); len(kept.Deliveries) != 1000 || kept.Counts.Delivered != all || kept.Deliveries[999].Number != all {
		t.Errorf("want the newest thousand on record and all counted, got %d of %+v", len(kept.Deliveries), kept.Counts)
	}
}

func TestPendingWebhooksAreDroppedWhenTheSenderIsReconfiguredOrTurnedOff(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(partner, *marketplace){
		"reconfigured": func(p partner, m *marketplace) { p.notifies(m) },
		"off":          func(p partner, _ *marketplace) { p.sender.TurnOff() },
		"closed":       func(p partner, _ *marketplace) { p.sender.Close() },
	} {
		m, p := open(t), run(t)
		m.arrive = make(chan struct{}, 9)
		m.hangs()
		p.notifies(m)
		p.set(p.slots[0].ID, 3)
		p.set(p.slots[1].ID, 3)
		<-m.arrive
		ends(p, m) // though the marketplace does not answer
		dropped := p.sender.Status(webhook.Filter{State: webhook.Dropped}, 10).Deliveries
		if len(dropped) != 2 || dropped[0].Reason == "" {
			t.Errorf("%s: want both dropped, with the reason, got %+v", name, dropped)
		}
	}
}

func TestASenderThatIsOffSendsNothing(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	if _, err := p.sender.Trigger(); err != webhook.ErrOff {
		t.Errorf("want ErrOff, got %v", err)
	}
	p.notifies(m)
	p.sender.TurnOff()
	p.set(p.slots[0].ID, 3)
	if _, err := p.sender.Notify(product, option, p.slots[0].ID); err != webhook.ErrOff {
		t.Errorf("want ErrOff, got %v", err)
	}
	p.sender.Close()
	if err := p.sender.Configure(config(m)); err != webhook.ErrClosed {
		t.Errorf("want ErrClosed, got %v", err)
	}
	if p.sender.Wait(t.Context(), webhook.Filter{}, 1) != 0 { // and does not hang
		t.Error("want nothing sent")
	}
}

func TestARestartedSenderBeginsAgain(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m, withFault(script.WebhookFault{Times: 1, WebhookActions: script.WebhookActions{Drop: true}}))
	for range 2 {
		p.set(p.slots[0].ID, 3)
		p.set(p.slots[0].ID, 2)
		if got := p.ends(2); got[0].State != webhook.Dropped || got[1].State != webhook.Delivered {
			t.Errorf("want the first dropped, got %+v", got)
		}
		p.sender.Restart()
	}
	if status := p.sender.Status(webhook.Filter{}, 10); len(status.Deliveries) != 0 || status.Counts != (client.DeliveryCounts{}) || status.Faults[0].Fired != 0 {
		t.Errorf("want nothing on record, got %+v", status)
	}
}

func TestARequestedSlotIsSentInItsCurrentState(t *testing.T) {
	t.Parallel()
	m, p := open(t), run(t)
	p.notifies(m)
	if _, err := p.sender.Notify(product, option, p.slots[1].ID); err != nil {
		t.Fatal(err)
	}
	p.ends(1)
	if got := fmt.Sprint(m.vacancies()); got != "[9]" {
		t.Errorf("Expected 9 vacancies to be reported, received %s", got)
	}
	if _, err := p.sender.Notify(product, option, "nowhere"); err == nil || !strings.Contains(err.Error(), "no slot") {
		t.Errorf("want an unknown slot refused, got %v", err)
	}
}

func TestTheSecretMayComeFromTheEnvironment(t *testing.T) {
	m, p := open(t), run(t)
	t.Setenv("MOCKPARTNER_WEBHOOK_SECRET_OF_A_TEST", secret)
	c := config(m)
	c.Secret, c.SecretEnv = "", "MOCKPARTNER_WEBHOOK_SECRET_OF_A_TEST"
	check(t, p.sender.Configure(c))
	p.set(p.slots[0].ID, 3)
	p.ends(1)
	if got := m.receivedCalls()[0].secret; got != secret {
		t.Errorf("want the variable's secret, got %q", got)
	}
	t.Setenv("MOCKPARTNER_WEBHOOK_SECRET_OF_A_TEST", "short")
	if err := p.sender.Configure(c); err == nil || !strings.Contains(err.Error(), "MOCKPARTNER_WEBHOOK_SECRET_OF_A_TEST") || strings.Contains(err.Error(), `"short"`) {
		t.Errorf("want the variable named and its value not, got %v", err)
	}
	t.Setenv("MOCKPARTNER_WEBHOOK_SECRET_OF_A_TEST", "")
	if err := p.sender.Configure(c); err == nil || !strings.Contains(err.Error(), "not set") {
		t.Errorf("Expected it to be reported that there is no such variable, received %v", err)
	}
	if !slices.Contains(p.sender.Status(webhook.Filter{}, 1).Config.On, client.StaffChange) {
		t.Error("want the set-up of before to stay")
	}
}
