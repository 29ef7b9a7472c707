package telemetry

import (
	"strings"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"partnerkit.dev/marketplace/internal/domain"
)

// bookings counts changes of bookings and deliveries of events.
type bookings struct {
	reached  *prometheus.CounterVec
	moved    *prometheus.CounterVec
	payments *prometheus.CounterVec
	events   *prometheus.CounterVec
}

// The results of payments.
const (
	paymentPaid      = "paid"
	paymentFailed    = "failed"
	paymentLate      = "late"      // the hold had been released
	paymentDuplicate = "duplicate" // another payment had been recorded
)

// counted are the statuses that a booking can reach after checkout.
var counted = []domain.BookingStatus{
	domain.Held, domain.Refused, domain.Lost, domain.Paid, domain.Confirmed, domain.Released, domain.Cancelled,
}

func newBookings() *bookings {
	b := &bookings{
		reached:  counter("marketplace_bookings_total", "Bookings that reached a status.", "status", "mode"),
		moved:    counter("marketplace_reschedules_total", "New bookings of reschedules that reached a status, up to CONFIRMED. They are no new sales.", "status", "mode"),
		payments: counter("marketplace_payments_total", "Reported payments, by result.", "result", "mode"),
		events:   counter("marketplace_event_attempts_total", "Attempts to deliver an event to a reseller, by result.", "result"),
	}
	for _, mode := range []domain.Mode{domain.Live, domain.Test} {
		for _, status := range counted {
			b.reached.WithLabelValues(strings.ToLower(string(status)), string(mode))
			b.moved.WithLabelValues(strings.ToLower(string(status)), string(mode))
		}
		for _, result := range []string{paymentPaid, paymentFailed, paymentLate, paymentDuplicate} {
			b.payments.WithLabelValues(result, string(mode))
		}
	}
	b.countEvents(true, 0)
	b.countEvents(false, 0)
	return b
}

// countEvents counts attempts to deliver an event.
func (b *bookings) countEvents(delivered bool, attempts float64) {
	result := "delivered"
	if !delivered {
		result = failed
	}
	b.events.WithLabelValues(result).Add(attempts)
}

// CountMove counts a stored change of a booking.
func (m *Metrics) CountMove(before, after domain.Booking) {
	mode := string(after.Mode)
	if after.Status != before.Status {
		reached := m.bookings.reached
		if after.RescheduledFrom != uuid.Nil && before.ExternalBookingID == "" {
			reached = m.bookings.moved
		}
		reached.WithLabelValues(strings.ToLower(string(after.Status)), mode).Inc()
	}
	if result := paymentOf(before, after); result != "" {
		m.bookings.payments.WithLabelValues(result, mode).Inc()
	}
}

// paymentOf returns the result of the payment in a change, or "" without one.
func paymentOf(before, after domain.Booking) string {
	for _, raised := range domain.NewAttention(before, after) {
		switch raised.Reason {
		case domain.LatePayment:
			return paymentLate
		case domain.DuplicatePayment:
			return paymentDuplicate
		}
	}
	switch {
	case before.Status == domain.Held && after.Status == domain.Paid:
		return paymentPaid
	case before.Status == domain.Held && after.Reason == domain.PaymentFailed:
		return paymentFailed
	}
	return ""
}

// EventSent counts an attempt to deliver an event to a reseller.
func (m *Metrics) EventSent(delivered bool) { m.bookings.countEvents(delivered, 1) }
