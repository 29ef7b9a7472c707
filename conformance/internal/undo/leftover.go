package undo

import (
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/report"
)

// Leftovers describes what is still open in a ledger.
func Leftovers(l *ledger.Ledger, words func(string) string) []report.Leftover {
	left := []report.Leftover{}
	for _, entry := range l.Open() {
		left = append(left, Describe(l, *entry, words))
	}
	return left
}

// Describe says what an entry of a ledger is, and where it stands; words makes
// text fit to be shown.
func Describe(l *ledger.Ledger, entry ledger.Entry, words func(string) string) report.Leftover {
	one := report.Leftover{
		Kind: "hold", Code: entry.Code, Reference: entry.Reference,
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Start: entry.Start,
		Reason: entry.Trouble, ExpiresAt: entry.ExpiresAt,
	}
	switch entry.State {
	case ledger.Unheard:
		one.ExpiresAt = l.LatestExpiry(entry).UTC().Format(time.RFC3339)
	case ledger.Undone:
		one.Reason, one.ExpiresAt = "released", ""
		if entry.BookingID != "" {
			one.Reason = "cancelled"
		}
	case ledger.Expired:
		one.Reason = "its time is over, had there been one"
	}
	if entry.BookingID != "" || entry.State == ledger.Booked {
		one.Kind, one.Code, one.ExpiresAt = "booking", entry.BookingID, ""
	}
	for _, text := range []*string{
		&one.Code, &one.Reference, &one.ProductID, &one.OptionID, &one.AvailabilityID, &one.Start, &one.Reason, &one.ExpiresAt,
	} {
		*text = words(*text)
	}
	return one
}
