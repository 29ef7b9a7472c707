package console

import (
	"slices"

	"partnerkit.dev/marketplace/client"
)

// bookingTable is a table of bookings: a list, those on which an operator acts, or what came of that.
type bookingTable struct {
	*frame
	Rows    []bookingRow
	Made    bool   // with the time of each booking, and how long it has needed attention
	Choose  bool   // with a box to choose each booking
	Outcome string // the heading of the last column
}

// bookingRow is a booking in a table.
type bookingRow struct {
	bookingView
	Link    string // its page's address, which may lead back to the list
	Outcome *note  // what came of an action; nil: why the booking needs attention
}

// newBookingRow returns a booking's row.
func newBookingRow(b bookingView) bookingRow { return bookingRow{bookingView: b, Link: b.Address()} }

// allows reports whether an operator can act on a booking in this way.
func (r bookingRow) allows(a client.Action) bool {
	return r.Attention != nil && slices.Contains(r.Attention.Actions, a)
}

// settled reports whether an action left nothing to do.
func (r bookingRow) settled() bool {
	return r.Outcome != nil && !r.Outcome.Failed && !r.Outcome.Open
}

// Table returns the list's table. Its links lead back to the list.
func (p *bookingsPage) Table() bookingTable {
	t := bookingTable{frame: &p.frame, Made: true, Outcome: "Needs attention"}
	for at, b := range p.List {
		t.Rows = append(t.Rows, bookingRow{bookingView: b, Link: p.Opened(at, b.ID)})
	}
	return t
}

// Choices returns the bookings with a box for each.
func (t *triage) Choices() bookingTable {
	return bookingTable{frame: &t.frame, Rows: t.List, Choose: true, Outcome: "Needs attention"}
}

// Table returns the bookings that allow the action.
func (t *triage) Table() bookingTable {
	return bookingTable{frame: &t.frame, Rows: t.List, Outcome: "Needs attention"}
}

// Outcomes returns the bookings with what came of the action.
func (t *triage) Outcomes() bookingTable {
	return bookingTable{frame: &t.frame, Rows: t.List, Outcome: "What came of it"}
}
