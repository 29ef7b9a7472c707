package undo

import (
	"time"

	"partnerkit.dev/conformance/ledger"
	"partnerkit.dev/conformance/report"
)

// Leftovers lists what is still open in a ledger, in words that words makes fit to
// be shown.
func Leftovers(l *ledger.Ledger, words func(string) string) []report.Leftover {
	left := []report.Leftover{}
	for _, entry := range l.Open() {
		one := report.Leftover{
			Kind: "hold", Code: entry.Code, Reference: entry.Reference,
			ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Start: entry.Start,
			Reason: entry.Trouble, ExpiresAt: entry.ExpiresAt,
		}
		switch entry.State {
		case ledger.Booked, ledger.Kept:
			one.Kind, one.Code, one.ExpiresAt = "booking", entry.BookingID, ""
		case ledger.Unheard:
			one.ExpiresAt = l.LatestExpiry(*entry).UTC().Format(time.RFC3339)
		}
		for _, text := range []*string{
			&one.Code, &one.Reference, &one.ProductID, &one.OptionID, &one.AvailabilityID, &one.Start, &one.Reason, &one.ExpiresAt,
		} {
			*text = words(*text)
		}
		left = append(left, one)
	}
	return left
}
