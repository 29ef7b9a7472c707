package booking_test

import (
	"testing"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAConfirmWhoseBookingCannotBeStoredIsAskedForAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: confirm}, times: 1, when: after, status: 200, body: '{"externalBookingId":"B\u0000","status":"CONFIRMED"}'}`)
	held := b.checkout(t)
	if paid := b.pays(t, held.ID, "p-1"); paid.Status != domain.Paid || len(paid.Attention) != 0 {
		t.Errorf("Expected PAID, and no operator to be notified, received %+v", paid)
	}
	b.work(t)
	b.is(t, held.ID, domain.Confirmed)
	if n := b.calls(t, partnerapi.Confirm); n != 2 {
		t.Errorf("want it asked twice, got %d", n)
	}
}

func TestAConfirmWhoseBookingCanNeverBeStoredNeedsAnOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: confirm}, when: after, status: 200, body: '{"externalBookingId":"B\u0000","status":"CONFIRMED"}'}`)
	held := b.checkout(t)
	b.pays(t, held.ID, "p-1")
	b.work(t)
	b.is(t, held.ID, domain.Paid, domain.ConfirmUnknown)
}

func TestAHoldWhoseCodeCannotBeStoredIsLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: reserve}, times: 1, status: 200, body: '{"reservationConfirmationCode":"H\u0000","expiresAt":"2026-07-01T12:20:00Z"}'}`)
	o := b.wants()
	if _, err := b.hold(t.Context(), o); domain.CodeOf(err) != domain.PartnerFailed {
		t.Errorf("want the partner to have failed, got %v", err)
	}
	b.is(t, o.ID, domain.Lost, domain.ReserveUnknown)
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
