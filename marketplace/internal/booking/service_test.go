package booking_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/partner/partnertest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

func filter(endpoint partnerapi.Endpoint) client.Filter { return client.Filter{Endpoint: endpoint} }

func TestABookingIsHeldPaidConfirmedAndCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *mockpartner.Options) {
		c := *catalog.Default()
		c.Policy.Codes = catalog.AwkwardCodes
		o.Catalog = &c
	})
	held := b.checkout(t, func(o *booking.Order) { o.Affiliate, o.Contact.PhoneNumber = b.guide, "+351 210 000 000" })
	if held.ExpiresAt.Sub(b.now()) < 15*time.Minute || held.Total.Sign() <= 0 || !held.Total.Equal(held.Guests[0].Price.Add(held.Guests[0].Price.Decimal)) {
		t.Errorf("want a hold with a price for two, got %+v", held)
	}
	booked := b.pays(t, held.ID, "p-1")
	if booked.Status != domain.Confirmed || booked.ExternalBookingID == "" || len(booked.Tickets) == 0 {
		t.Fatalf("want it CONFIRMED with tickets, got %+v", booked)
	}
	if again := b.pays(t, held.ID, "p-1"); again.Status != domain.Confirmed || len(again.Attention) != 0 {
		t.Errorf("want the same payment to change nothing, got %+v", again)
	}
	var amount string
	check(t, b.store.Pool().QueryRow(t.Context(), `SELECT amount FROM affiliate_commissions WHERE booking_id = $1 AND affiliate_id = $2 AND reversed_at IS NULL`, held.ID, b.guide).Scan(&amount))
	cancelled, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, held.ID, "ill")
	check(t, err)
	if cancelled.Status != domain.Cancelled || cancelled.Cancellation != domain.Pending {
		t.Errorf("Expected CANCELLED, and a job to notify the partner, received %+v", cancelled)
	}
	b.work(t)
	if r := b.is(t, held.ID, domain.Cancelled); r.Cancellation != domain.Done {
		t.Errorf("Expected the partner to be notified, received %s", r.Cancellation)
	}
	var reversed bool
	check(t, b.store.Pool().QueryRow(t.Context(), `SELECT reversed_at IS NOT NULL FROM affiliate_commissions`).Scan(&reversed))
	if !reversed {
		t.Error("want the commission reversed")
	}
	histories, err := b.store.Bookings.Histories(t.Context(), []uuid.UUID{held.ID})
	check(t, err)
	var reported []string
	for _, h := range histories[held.ID] {
		reported = append(reported, strings.TrimSpace(string(h.Kind)+" "+string(h.From)+" "+string(h.To)+string(h.Endpoint)))
	}
	want := "call  reserve, move RESERVING HELD, move HELD PAID, call  confirm, move PAID CONFIRMED, move CONFIRMED CANCELLED, call  cancel"
	if got := strings.Join(reported, ", "); got != want {
		t.Errorf("want the history\n%s\ngot\n%s", want, got)
	}
	for _, endpoint := range []partnerapi.Endpoint{partnerapi.Reserve, partnerapi.Confirm} {
		sent := string(b.partner.Default().Exchanges(filter(endpoint))[0].Request.Body)
		for _, want := range []string{`"contact":{"fullName":"Ana Sousa","emailAddress":"ana@example.com","phoneNumber":"+351 210 000 000"}`, `"resellerReference":"` + held.ID.String() + `"`} {
			if !strings.Contains(sent, want) {
				t.Errorf("%s: want %s, got %s", endpoint, want, sent)
			}
		}
	}
	b.requireKept(t)
}

func TestADegradedPartnerIsGivenMoreTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		_, err := b.store.Partners.Observe(t.Context(), b.integration, partner.Observation{At: b.now(), Result: partner.ResultTimeout})
		check(t, err)
	}
	b.limitsReserve(t, 0) // of a HEALTHY partner, for whose confirm the limit is the same
	held := b.checkout(t)
	if paid := b.pays(t, held.ID, "p-1"); paid.Status != domain.Confirmed {
		t.Errorf("want it CONFIRMED, got %s", paid.Status)
	}
}

func TestASlotThatHasStartedIsRefusedWithoutAskingThePartner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := b.calls(t, partnerapi.Availability)
	b.pass(t, 45*24*time.Hour)
	if _, err := b.hold(t.Context(), b.wants()); domain.ReasonOf(err) != domain.SlotStarted {
		t.Errorf("want %s, got %v", domain.SlotStarted, err)
	}
	b.requireCalls(t, partnerapi.Availability, asked)
}

func TestAHoldIsReleased(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		give   func(*testing.T, *bench, uuid.UUID) error
		reason domain.ReleaseReason
	}{
		"that the customer abandons": {func(t *testing.T, b *bench, id uuid.UUID) error {
			_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, id)
			return err
		}, domain.Abandoned},
		"whose payment fails": {func(t *testing.T, b *bench, id uuid.UUID) error {
			_, err := b.Pay(t.Context(), domain.Scope{Account: b.reseller}, id, domain.Payment{Reference: "p"})
			return err
		}, domain.PaymentFailed},
		"that expires": {func(t *testing.T, b *bench, _ uuid.UUID) error {
			b.pass(t, 25*time.Minute)
			return b.Sweep(t.Context())
		}, domain.Expired},
		"whose integration is deleted": {func(t *testing.T, b *bench, _ uuid.UUID) error {
			if err := b.integrations.Delete(t.Context(), uuid.Nil, b.integration); err != nil {
				return err
			}
			return b.Sweep(t.Context())
		}, domain.Withdrawn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			held := b.checkout(t)
			b.arm(t, `[{match: {endpoint: release}, times: 1, status: 404, last: true}, {match: {endpoint: release}, times: 1, status: 503}]`)
			check(t, c.give(t, b, held.ID))
			b.work(t)
			if r := b.is(t, held.ID, domain.Released); r.Reason != c.reason || r.Release != domain.Done || r.ReleaseTries != 3 {
				t.Errorf("want it released for %s with the third try, got %+v", c.reason, r.Booking)
			}
			if _, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, held.ID, ""); domain.ReasonOf(err) != domain.HoldExpired {
				t.Errorf("Expected a cancel to be refused as too late, received %v", err)
			}
			if holds := b.partner.Default().Holds(); holds[0].State == client.Held {
				t.Errorf("want no hold left, got %+v", holds)
			}
			if paid := b.pays(t, held.ID, "late"); paid.Status != domain.Paid {
				t.Errorf("want a late payment kept, got %s", paid.Status)
			}
			b.is(t, held.ID, domain.Paid, domain.LatePayment)
			if _, err := b.Retry(t.Context(), held.ID); domain.CodeOf(err) != domain.Conflict {
				t.Errorf("want no confirm after a release, got %v", err)
			}
			if _, err := b.Settle(t.Context(), held.ID, "money back"); err != nil {
				t.Error(err)
			}
			b.is(t, held.ID, domain.Cancelled)
			b.requireKept(t)
		})
	}
}

func TestAPartnersRefusalIsShownInItsWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: reserve}, times: 1, status: 400, body: '{"message":"Only for members."}'}`)
	o := b.wants()
	if _, err := b.hold(t.Context(), o); domain.ReasonOf(err) != domain.ReserveRefused || err.Error() != "Only for members." {
		t.Errorf("want the partner's words, got %v", err)
	}
	b.is(t, o.ID, domain.Refused)
	if _, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, o.ID); domain.CodeOf(err) != domain.NotFound {
		t.Errorf("want no booking, got %v", err)
	}
	b.arm(t, `{match: {endpoint: availability}, times: 1, answered: 200, jq: ".[].vacancies = 1"}`)
	if _, err := b.hold(t.Context(), b.wants(func(o *booking.Order) { o.Guests[0].Quantity = 1000 })); domain.ReasonOf(err) != domain.SlotSoldOut {
		t.Errorf("Expected a slot with too few seats to be sold out, received %v", err)
	}
	check(t, b.partner.Default().SetSlot(product, option, b.order.Slot, client.SlotChange{Status: new(partnerapi.StatusSoldOut)}))
	if _, err := b.hold(t.Context(), b.wants()); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("want what is sold out refused, got %v", err)
	}
	b.requireCalls(t, partnerapi.Reserve, 2)
	b.requireKept(t)
}

func TestAnInvalidOrderIsRefusedBeforeThePartnerIsCalled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.calls(t, partnerapi.Availability)
	for name, c := range map[string]struct {
		change func(*booking.Order)
		code   domain.Code
	}{
		"another activity":    {func(o *booking.Order) { o.Activity = uuid.New() }, domain.NotFound},
		"another variation":   {func(o *booking.Order) { o.Variation = uuid.New() }, domain.NotFound},
		"an unknown slot":     {func(o *booking.Order) { o.Slot = "nothing" }, domain.NotFound},
		"unknown guests":      {func(o *booking.Order) { o.Guests = []booking.Party{{Type: partnerapi.Student, Quantity: 1}} }, domain.Invalid},
		"guests twice":        {func(o *booking.Order) { o.Guests = append(o.Guests, o.Guests...) }, domain.Invalid},
		"an unknown guide":    {func(o *booking.Order) { o.Affiliate = b.reseller }, domain.Invalid},
		"a currency, no rate": {func(o *booking.Order) { o.Currency = "XAF" }, domain.Invalid},
	} {
		if _, err := b.hold(t.Context(), b.wants(c.change)); domain.CodeOf(err) != c.code {
			t.Errorf("%s: want %s, got %v", name, c.code, err)
		}
	}
	b.requireCalls(t, partnerapi.Availability, before)
}

// confirmLost are ways in which a confirm books without an answer that can be stored.
var confirmLost = map[string]string{
	"the connection breaks":             `fault: CONNECTION_RESET_BY_PEER`,
	"the booking's id cannot be stored": `status: 200, body: '{"externalBookingId":"B\u0000","status":"CONFIRMED"}'`,
}

func TestAConfirmWithoutAnAnswerIsSentAgainAndBooksOnce(t *testing.T) {
	t.Parallel()
	for name, answer := range confirmLost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, `{match: {endpoint: confirm}, times: 2, when: after, `+answer+`}`)
			held := b.checkout(t)
			if paid := b.pays(t, held.ID, "p-1"); paid.Status != domain.Paid || len(paid.Attention) != 0 {
				t.Errorf("want it PAID, and tried again, got %+v", paid)
			}
			b.work(t)
			b.is(t, held.ID, domain.Confirmed)
			b.requireCalls(t, partnerapi.Confirm, 3)
			if n := len(b.partner.Default().Bookings()); n != 1 {
				t.Errorf("want one booking, got %d", n)
			}
			if strings.HasPrefix(answer, "fault") { // the partner's judge counts every 200 as an answer
				b.requireKept(t)
			}
		})
	}
}

func TestAConfirmThatIsNeverAnsweredNeedsAnOperator(t *testing.T) {
	t.Parallel()
	for name, answer := range confirmLost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, `{name: lost, match: {endpoint: confirm}, when: after, `+answer+`}`)
			held := b.checkout(t)
			b.pays(t, held.ID, "p-1")
			b.work(t)
			b.is(t, held.ID, domain.Paid, domain.ConfirmUnknown)
			b.requireCalls(t, partnerapi.Confirm, 5)
			check(t, b.partner.Control.Faults.Disarm(t.Context(), "lost"))
			settled, err := b.Retry(t.Context(), held.ID)
			if err != nil || settled.Status != domain.Confirmed || len(settled.Attention) != 0 {
				t.Errorf("want an operator to settle it, got %+v and %v", settled, err)
			}
			if strings.HasPrefix(answer, "fault") {
				b.requireKept(t)
			}
		})
	}
}

func TestARefusedConfirmIsFinalAndThePaymentStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.checkout(t)
	b.pass(t, 25*time.Minute) // without a sweep: the partner decides
	if paid := b.pays(t, held.ID, "p-1"); paid.Status != domain.Paid {
		t.Errorf("want it PAID, got %s", paid.Status)
	}
	b.work(t)
	if r := b.is(t, held.ID, domain.Paid, domain.ConfirmRefused); r.Attention[0].Message == "" {
		t.Error("want the partner's words")
	}
	b.pays(t, held.ID, "p-2")
	b.is(t, held.ID, domain.Paid, domain.ConfirmRefused, domain.DuplicatePayment)
	b.requireCalls(t, partnerapi.Confirm, 1)
	_, err := b.Settle(t.Context(), held.ID, "")
	check(t, err)
	b.work(t)
	b.is(t, held.ID, domain.Cancelled, domain.DuplicatePayment)
	_, err = b.Resolve(t.Context(), held.ID)
	check(t, err)
	b.is(t, held.ID, domain.Cancelled)
	b.requireKept(t)
}

func TestARefusalAfterAnUnansweredConfirmSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `[{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER, last: true}, {match: {endpoint: confirm}, times: 1, status: 500}]`)
	held := b.checkout(t)
	b.pays(t, held.ID, "p-1")
	b.work(t)
	r := b.is(t, held.ID, domain.Paid, domain.ConfirmRefused)
	if len(r.Attention) != 1 || !strings.Contains(r.Attention[0].Message, "the partner may have booked") {
		t.Errorf("Expected the doubt to be reported, received %+v", r.Attention)
	}
	b.byHand(t, held)
	confirmed, err := b.Retry(t.Context(), held.ID)
	if err != nil || confirmed.Status != domain.Confirmed || len(b.partner.Default().Bookings()) != 1 {
		t.Errorf("want the partner's booking found, got %+v and %v", confirmed, err)
	}
	b.requireKept(t)
}

func TestTwoBookingsWithOneIDAreNotCancelledAtThePartnerUntilAnOperatorDecides(t *testing.T) {
	t.Parallel()
	cancel := func(b *bench, t *testing.T, id uuid.UUID) {
		t.Helper()
		_, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, id, "rain")
		check(t, err)
	}
	twins := func(t *testing.T, between func(*bench, uuid.UUID)) (b *bench, first, second domain.Booking) {
		b = setup(t)
		b.arm(t, `{match: {endpoint: confirm}, times: 2, answered: 200, jq: ".externalBookingId = \"B-1\""}`)
		first, second = b.checkout(t), b.checkout(t)
		b.pays(t, first.ID, "p-1")
		between(b, first.ID)
		if paid := b.pays(t, second.ID, "p-2"); paid.Status != domain.Confirmed || len(paid.Attention) != 1 {
			t.Errorf("Expected it CONFIRMED and listed, received %+v", paid)
		}
		return b, first, second
	}
	t.Run("a cancellation is stored and not sent", func(t *testing.T) {
		t.Parallel()
		b, first, second := twins(t, func(*bench, uuid.UUID) {})
		b.is(t, first.ID, domain.Confirmed, domain.DuplicateID)
		cancel(b, t, first.ID)
		b.work(t)
		b.is(t, first.ID, domain.Cancelled, domain.DuplicateID)
		_, err := b.Settle(t.Context(), second.ID, "")
		check(t, err)
		b.work(t)
		b.is(t, second.ID, domain.Cancelled, domain.DuplicateID)
		b.requireCalls(t, partnerapi.Cancel, 0)
		_, err = b.Deliver(t.Context(), first.ID)
		check(t, err)
		b.work(t)
		if r := b.is(t, first.ID, domain.Cancelled); r.Cancellation != domain.Done || r.CancelReason != "rain" {
			t.Errorf("Expected the operator's cancellation sent, received %+v", r.Booking)
		}
		_, err = b.Resolve(t.Context(), second.ID)
		check(t, err)
		b.work(t)
		b.is(t, second.ID, domain.Cancelled)
		b.requireCalls(t, partnerapi.Cancel, 1)
	})
	t.Run("a cancellation that is due is withheld", func(t *testing.T) {
		t.Parallel()
		b, first, second := twins(t, func(b *bench, id uuid.UUID) { cancel(b, t, id) })
		b.work(t)
		b.is(t, first.ID, domain.Cancelled, domain.DuplicateID)
		b.requireCalls(t, partnerapi.Cancel, 0)
		_, err := b.Resolve(t.Context(), second.ID)
		check(t, err)
		cancel(b, t, second.ID)
		b.work(t)
		b.is(t, second.ID, domain.Cancelled)
		b.requireCalls(t, partnerapi.Cancel, 1)
	})
	t.Run("of two confirms at the same time", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.arm(t, `{match: {endpoint: confirm}, times: 2, answered: 200, jq: ".externalBookingId = \"B-1\""}`)
		first, second := b.checkout(t), b.checkout(t)
		var both sync.WaitGroup
		for _, id := range []uuid.UUID{first.ID, second.ID} {
			both.Go(func() { b.pays(t, id, "p-"+id.String()) })
		}
		both.Wait()
		b.is(t, first.ID, domain.Confirmed, domain.DuplicateID)
		b.is(t, second.ID, domain.Confirmed, domain.DuplicateID)
	})
}

// A code that two reserves have returned may stand for the seats of the other customer (RSV-4).
func TestNoConfirmIsSentWithACodeThatAnotherReserveHasReturned(t *testing.T) {
	t.Parallel()
	reused := func(t *testing.T, between func(*bench, domain.Booking)) (b *bench, first domain.Booking) {
		t.Helper()
		b = setup(t)
		b.arm(t, `{match: {endpoint: reserve}, times: 2, jq: ".reservationConfirmationCode = \"H-1\""}`)
		first = b.checkout(t)
		between(b, first)
		if _, err := b.hold(t.Context(), b.wants()); domain.CodeOf(err) != domain.PartnerFailed {
			t.Errorf("Expected the second checkout to fail, received %v", err)
		}
		return b, first
	}
	t.Run("an unpaid hold ends", func(t *testing.T) {
		t.Parallel()
		b, first := reused(t, func(*bench, domain.Booking) {})
		if r := b.is(t, first.ID, domain.Released); r.Reason != domain.Withdrawn || r.Release == "" {
			t.Errorf("Expected the hold withdrawn and released, received %+v", r.Booking)
		}
		b.pays(t, first.ID, "p-1")
		b.work(t)
		b.is(t, first.ID, domain.Paid, domain.LatePayment)
		b.requireCalls(t, partnerapi.Confirm, 0)
	})
	t.Run("a confirm without an answer is not repeated", func(t *testing.T) {
		t.Parallel()
		b, first := reused(t, func(b *bench, first domain.Booking) {
			b.arm(t, `{match: {endpoint: confirm}, times: 1, fault: CONNECTION_RESET_BY_PEER}`)
			b.pays(t, first.ID, "p-1")
		})
		b.work(t)
		b.is(t, first.ID, domain.Paid, domain.ConfirmUnknown)
		b.requireCalls(t, partnerapi.Confirm, 1)
	})
	t.Run("the breach is noted", func(t *testing.T) {
		t.Parallel()
		b, first := reused(t, func(*bench, domain.Booking) {})
		found, err := b.store.Partners.Breaches(t.Context(), []uuid.UUID{first.IntegrationID}, false)
		check(t, err)
		if list := found[first.IntegrationID]; len(list) != 1 || !strings.HasPrefix(list[0].Message, "reservationConfirmationCode: expected a code that no other booking has") {
			t.Errorf("Expected the reused code noted, received %+v", list)
		}
	})
}

func TestAPartnerWithoutCancellationsIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *mockpartner.Options) {
		c := *catalog.Default()
		c.Policy.NoCancel = true
		o.Catalog = &c
	})
	held := b.checkout(t)
	b.pays(t, held.ID, "p-1")
	_, err := b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, held.ID, "")
	check(t, err)
	b.work(t)
	if r := b.is(t, held.ID, domain.Cancelled); r.Cancellation != domain.NotSupported || r.CancelTries != 1 {
		t.Errorf("want it asked once, got %+v", r.Booking)
	}
	b.requireKept(t)
}

func TestAReleaseThatIsNeverAcceptedWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{name: broken, match: {endpoint: release}, status: 500}`)
	held := b.checkout(t)
	_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, held.ID)
	check(t, err)
	b.work(t)
	r := b.is(t, held.ID, domain.Released, domain.ReleaseFailed)
	if r.Release != domain.GivenUp || b.now().Sub(noon) < 72*time.Hour || r.ReleaseTries < 200 {
		t.Errorf("want three days of tries, got %d until %s", r.ReleaseTries, b.now())
	}
	check(t, b.partner.Control.Faults.Disarm(t.Context(), "broken"))
	_, err = b.Deliver(t.Context(), held.ID)
	check(t, err)
	b.work(t)
	if r := b.is(t, held.ID, domain.Released); r.Release != domain.Done {
		t.Errorf("want it taken, got %s", r.Release)
	}
	b.requireKept(t)
}

func TestAReleaseWhosePartnersKeyIsGoneIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.checkout(t)
	_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, held.ID)
	check(t, err)
	_, err = b.store.Pool().Exec(t.Context(), `UPDATE integrations SET auth_key = ''`)
	check(t, err)
	b.work(t)
	if r := b.is(t, held.ID, domain.Released, domain.ReleaseFailed); r.Release != domain.GivenUp {
		t.Errorf("Expected an operator to be notified, received %+v", r.Booking)
	}
}

func TestAConfirmThatIsDueWaitsForTheOneUnderWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`)
	held := b.checkout(t)
	b.pays(t, held.ID, "p-1") // a job will send it again
	under, over := make(chan struct{}), make(chan struct{})
	b.Config.Partner = lingeringPartner{b.client, under, over}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = b.Retry(t.Context(), held.ID) }()
	<-under
	if again, err := b.DeliverConfirm(t.Context(), held.ID); err != nil || again == 0 {
		t.Errorf("want the job to come back, got %s and %v", again, err)
	}
	close(over)
	<-done
	b.is(t, held.ID, domain.Confirmed)
	if again, err := b.DeliverConfirm(t.Context(), held.ID); err != nil || again != 0 {
		t.Errorf("want the job over, got %s and %v", again, err)
	}
	b.requireKept(t)
}

// lingeringPartner is a partner whose confirm lasts until the test ends it.
type lingeringPartner struct {
	*partner.Client
	under, over chan struct{}
}

func (l lingeringPartner) Confirm(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (partnerapi.ConfirmAnswer, partner.Outcome) {
	close(l.under)
	<-l.over
	return l.Client.Confirm(ctx, by, t, h, asked, tickets)
}

func TestAReserveWhoseAnswerIsLostIsListed(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"the connection breaks":     `when: after, fault: CONNECTION_RESET_BY_PEER`,
		"the code cannot be stored": `status: 200, body: '{"reservationConfirmationCode":"H\u0000","expiresAt":"2026-07-01T12:20:00Z"}'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, `{match: {endpoint: reserve}, times: 1, `+fault+`}`)
			o := b.wants()
			if _, err := b.hold(t.Context(), o); domain.CodeOf(err) != domain.PartnerFailed {
				t.Errorf("want the partner blamed, got %v", err)
			}
			if r := b.is(t, o.ID, domain.Lost, domain.ReserveUnknown); r.AvailabilityID != o.Slot {
				t.Errorf("want its slot known, got %+v", r.Booking)
			}
			b.requireCalls(t, partnerapi.Reserve, 1)
			b.requireKept(t)
		})
	}
}

func TestAHoldWhoseExpiryCannotBeStoredIsReleased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: reserve}, times: 1, when: after, jq: '.expiresAt = "9999-12-31T23:59:59Z"'}`)
	o := b.wants()
	if _, err := b.hold(t.Context(), o); err == nil {
		t.Error("want no booking")
	}
	b.work(t)
	b.is(t, o.ID, domain.Released)
	b.nothingLeft(t)
}

func TestAHoldThatComesAfterTheLimitIsReleased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: reserve}, times: 1, when: after, delay: 2s}`)
	b.limitsReserve(t, 0)
	o := b.wants()
	if _, err := b.hold(t.Context(), o); domain.CodeOf(err) != domain.PartnerLate {
		t.Errorf("want the partner late, got %v", err)
	}
	b.is(t, o.ID, domain.Lost, domain.ReserveUnknown)
	b.waitForStatus(t, o.ID, domain.Released)
	b.work(t)
	if r := b.is(t, o.ID, domain.Released); r.Release != domain.Done || r.Reason != domain.Unwanted {
		t.Errorf("want the hold given back, got %+v", r.Booking)
	}
	b.requireKept(t)
}

// limitsReserve gives the partner that long to answer reserve. It is listened to afterwards.
func (b *bench) limitsReserve(t *testing.T, to time.Duration) {
	t.Helper()
	client, err := partner.NewClient(partner.Config{
		Guard: partner.NewGuard(true), AtOnce: 8, Now: b.now, Observe: func(uuid.UUID, partner.Observation) {},
		Scale: func(limit time.Duration) time.Duration {
			if limit == partnerapi.Reserve.Timeout(partnerapi.Healthy) {
				return to
			}
			return partnertest.Unhurried(limit)
		},
	})
	check(t, err)
	t.Cleanup(client.Close)
	b.Config.Partner = client
}

// waitForStatus waits for a booking to reach that state.
func (b *bench) waitForStatus(t *testing.T, id uuid.UUID, want domain.BookingStatus) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		r, err := b.store.Bookings.Booking(t.Context(), id)
		check(t, err)
		if r.Status == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("want it %s, got %s", want, r.Status)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestAHoldWhoseCustomerHasGoneIsReleased(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, leave := context.WithCancel(t.Context())
	b.Config.Partner = leavingPartner{b.client, leave}
	o := b.wants()
	_, err := b.hold(ctx, o)
	if err == nil {
		t.Error("want no booking")
	}
	b.work(t)
	b.is(t, o.ID, domain.Released)
	b.requireKept(t)
}

// leavingPartner is a partner whose customer disconnects during the reserve.
type leavingPartner struct {
	*partner.Client
	leave func()
}

func (l leavingPartner) Reserve(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome) {
	defer l.leave() // a customer who disconnects before it is sent prevents the call
	return l.Client.Reserve(ctx, by, t, h, asked, late)
}

// dyingPartner is a partner during whose calls the service dies: requests arrive, but their answers
// are not read.
type dyingPartner struct {
	*partner.Client
	leave func() // called once a confirm has arrived
}

func (d dyingPartner) Reserve(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, partner.Outcome)) (partnerapi.ReserveAnswer, partner.Outcome) {
	defer runtime.Goexit()
	return d.Client.Reserve(ctx, by, t, h, asked, late)
}

func (d dyingPartner) Confirm(ctx context.Context, by partner.SendBy, t partner.Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (partnerapi.ConfirmAnswer, partner.Outcome) {
	defer runtime.Goexit()
	defer d.leave()
	return d.Client.Confirm(ctx, by, t, h, asked, tickets)
}

func TestUnansweredCallsOfDeadReplicasAreResolved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: confirm}, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`)
	b.arm(t, `{match: {endpoint: reserve}, after: 1, times: 1, when: after, fault: CONNECTION_RESET_BY_PEER}`)
	held, o := b.checkout(t), b.wants()
	gone, leave := context.WithCancel(t.Context())
	b.Config.Partner = dyingPartner{b.client, leave}
	dies(func() { _, _ = b.hold(t.Context(), o) })
	paid, err := b.Pay(gone, domain.Scope{Account: b.reseller}, held.ID, domain.Payment{Reference: "p", Succeeded: true})
	if err != nil || paid.Status != domain.Paid {
		t.Errorf("want it PAID, got %+v and %v", paid, err)
	}
	b.Wait()
	b.Config.Partner = b.client
	check(t, b.Sweep(t.Context()))
	b.is(t, o.ID, domain.Reserving)
	b.ahead.Add(int64(time.Minute))
	check(t, b.Sweep(t.Context()))
	b.is(t, o.ID, domain.Lost, domain.ReserveUnknown)
	b.work(t)
	b.is(t, held.ID, domain.Confirmed)
	b.requireKept(t)
}
