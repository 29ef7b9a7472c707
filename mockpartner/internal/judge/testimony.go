package judge

import (
	"net/netip"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
)

// testimony is what the record was told and the mock could not see.
type testimony struct {
	deaths map[string][]journal.Testimony // of processes, by connection or address
	byHand map[string]int                 // how many confirms of a code a human has ordered
}

func heard(list []journal.Testimony) testimony {
	t := testimony{deaths: map[string][]journal.Testimony{}, byHand: map[string]int{}}
	for _, told := range list {
		for _, connection := range told.Died {
			t.deaths[connection] = append(t.deaths[connection], told)
		}
		if told.ByHand != "" {
			t.byHand[told.ByHand]++
		}
	}
	return t
}

// arriving is how much later than its process has died a call may arrive that was
// sent before: a mock that is busy reads it late.
const arriving = 3 * time.Second

// died returns when the call's process died, where that happened in the middle of the
// call, or so soon after its answer that the process may not have come to write it
// down. Everything else that the process has done is its own doing.
func (t testimony) died(e journal.Exchange) (at time.Time, ok bool) {
	over, isOver := overAt(e)
	for _, name := range []string{e.Caller, hostOf(e.Caller)} {
		for _, death := range t.deaths[name] {
			if !e.Arrived.After(death.At.Add(arriving)) && (!isOver || !over.Before(death.Since)) {
				return death.At, true
			}
		}
	}
	return time.Time{}, false
}

// overAt is when an exchange was over for its caller, in real time.
func overAt(e journal.Exchange) (at time.Time, ok bool) {
	if e.LeftAfter != nil {
		return e.Arrived.Add(time.Duration(*e.LeftAfter)), true
	}
	return e.Arrived.Add(time.Duration(e.Duration)), e.Done
}

// hostOf is a connection's address without its port.
func hostOf(connection string) string {
	if address, err := netip.ParseAddrPort(connection); err == nil {
		return address.Addr().String()
	}
	return connection
}
