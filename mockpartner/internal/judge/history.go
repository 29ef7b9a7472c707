package judge

import (
	"iter"
	"net/netip"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

type history struct {
	Case
	testimony
	calls []*call
	holds []*hold
	// cancelled are the cancellations of each booking id, in the order in which the ids first
	// occurred.
	cancelled [][]*call
	active    map[string]activity // by process
}

// hold is the calls for one hold. A code that the partner reuses is a new hold from then on.
type hold struct {
	code     string
	reserve  *call // nil if no answer in the record has the code
	expires  time.Time
	confirms []*call
	releases []*call
}

func newHistory(c Case) *history {
	s := &history{Case: c, testimony: indexTestimony(c.Testimony)}
	for _, e := range c.Exchanges {
		if e.Protocol != "" {
			continue // the caller's duties are those of the contract
		}
		added := newCall(e)
		added.died, _ = s.deathOf(e)
		added.process = processOf(added)
		s.calls = append(s.calls, added)
	}
	s.active = activities(s.calls)
	known := s.knownHolds()
	s.spell(known)
	s.follow(known)
	return s
}

func (s *history) isComplete() bool { return s.Cleared == 0 && s.Dropped == 0 }

// timeSince returns the time since a call ended, by the sandbox's clock or in real time, whichever is
// longer.
func (s *history) timeSince(c *call) time.Duration {
	return max(s.Now.Sub(c.At.Add(time.Duration(c.Duration))), s.Real.Sub(c.endTime()))
}

// knownHolds returns the holds whose codes the caller has received, by code.
func (s *history) knownHolds() map[string][]*hold {
	known := map[string][]*hold{}
	for c := range s.callsTo(partnerapi.Reserve) {
		answer, ok := answerOf[partnerapi.ReserveAnswer](c)
		if !ok || answer.ReservationConfirmationCode == "" {
			continue
		}
		h := &hold{code: answer.ReservationConfirmationCode, reserve: c}
		h.expires, _ = partnerapi.ParseDateTime(answer.ExpiresAt)
		s.holds = append(s.holds, h)
		known[h.code] = append(known[h.code], h)
	}
	return known
}

func (s *history) follow(known map[string][]*hold) {
	cancels := map[string]int{}
	for _, c := range s.calls {
		if c.code == "" {
			continue
		}
		switch c.endpoint {
		case partnerapi.Confirm:
			h := s.hold(known, c)
			h.confirms = append(h.confirms, c)
		case partnerapi.Release:
			h := s.hold(known, c)
			h.releases = append(h.releases, c)
		case partnerapi.Cancel:
			i, seen := cancels[c.code]
			if !seen {
				i, cancels[c.code] = len(s.cancelled), len(s.cancelled)
				s.cancelled = append(s.cancelled, nil)
			}
			s.cancelled[i] = append(s.cancelled[i], c)
		}
	}
}

// hold returns the newest hold with the call's code that the caller knew by then. Otherwise it adds
// a hold without a reserve.
func (s *history) hold(known map[string][]*hold, c *call) *hold {
	for i := len(known[c.code]) - 1; i >= 0; i-- {
		h := known[c.code][i]
		if h.reserve == nil || !h.reserve.endTime().After(c.Arrived) {
			return h
		}
	}
	h := &hold{code: c.code}
	s.holds = append(s.holds, h)
	known[c.code] = append([]*hold{h}, known[c.code]...)
	return h
}

func (s *history) callsTo(endpoint partnerapi.Endpoint) iter.Seq[*call] {
	return func(yield func(*call) bool) {
		for _, c := range s.calls {
			if c.endpoint == endpoint && !yield(c) {
				return
			}
		}
	}
}

func (s *history) option(productID, optionID string) (*catalog.IndexedOption, bool) {
	product, ok := s.Catalog.Product(productID)
	if !ok {
		return nil, false
	}
	return product.Option(optionID)
}

// testimony is what the test reported and the mock could not see.
type testimony struct {
	deaths map[string][]client.Testimony // of processes, by connection or address
	byHand map[string]int                // number of confirms of a code that a person has ordered
}

func indexTestimony(list []client.Testimony) testimony {
	t := testimony{deaths: map[string][]client.Testimony{}, byHand: map[string]int{}}
	for _, testimony := range list {
		for _, connection := range testimony.Died {
			t.deaths[connection] = append(t.deaths[connection], testimony)
		}
		if testimony.ByHand != "" {
			t.byHand[testimony.ByHand]++
		}
	}
	return t
}

// arriving is how long after the death of its process a call may still arrive that was sent before.
// A busy mock reads it late.
const arriving = 3 * time.Second

// deathOf returns when the call's process died, if that was during the call or soon after its answer.
// Soon means that the process may not have written the answer down. Everything else counts as the
// process's own conduct.
func (t testimony) deathOf(e client.Exchange) (at time.Time, ok bool) {
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

func overAt(e client.Exchange) (at time.Time, ok bool) {
	if e.LeftAfter != nil {
		return e.Arrived.Add(time.Duration(*e.LeftAfter)), true
	}
	return e.Arrived.Add(time.Duration(e.Duration)), e.Done
}

func hostOf(connection string) string {
	if address, err := netip.ParseAddrPort(connection); err == nil {
		return address.Addr().String()
	}
	return connection
}
