package scenario

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
)

const (
	// DefaultWebhookWait is how long a run waits for the notification of a change.
	DefaultWebhookWait = time.Minute
	// settleShare is the share of that time, and longestSettle the most, that a run waits for late
	// notifications after the expected ones have arrived.
	settleShare, longestSettle = 10, time.Second
	// heldInARow is the number of holds that are made one after another in one slot, with the first.
	heldInARow = 3
)

// Notified is a change of seats that the run caused, and what the partner's notifications stated about
// the slot from then until the run's next change of it.
type Notified struct {
	Change   string // such as "a hold"
	Offer    discover.Offer
	Seats    []*Reading // since the change; notifications may state any of them
	Received []*inbox.Webhook
	// Refused is the notification that was answered with 503. Received has only later ones. It is nil
	// if none was refused.
	Refused *inbox.Webhook

	since, until int // Received is among the webhooks after the first since, and up to until; 0: the last
}

// IsReported reports whether a notification states the slot as it was after the change.
func (n *Notified) IsReported() bool {
	for _, webhook := range n.Received {
		if n.Differs(webhook) == "" {
			return true
		}
	}
	return false
}

// Differs returns how a notification differs from the slot since the change, or "" if it states it
// as it was at one time.
func (n *Notified) Differs(webhook *inbox.Webhook) (how string) {
	for _, read := range n.Seats {
		if how = webhook.Differs(read.Last.Slot, read.seats()); how == "" {
			return ""
		}
	}
	return how
}

// Row is several holds in one slot, one after another.
type Row struct {
	Notified
	Stable bool // only the run's own holds changed the seats, and no other customer was seen in the run
}

// Webhooks is what a partner's webhooks stated: those of the complete run, and those about some holds
// in slots that the run had not used before.
type Webhooks struct {
	inbox.Contents
	Paths   []string // where webhooks are received
	Wait    time.Duration
	Lookups []Lookup
	Holds   []*Notified   // of one seat each, in different products if possible
	Returns []*Notified   // the release of the first, the cancellation or release of the second
	Row     *Row          // nil: not played
	Once    *Notified     // a hold whose first notification was refused; nil: not played
	Stop    *partner.Stop // why not all of it was played
}

// Reports reports whether the partner notifies of the run's own holds.
func (v *Webhooks) Reports() bool {
	for _, hold := range v.Holds {
		if len(hold.Received) > 0 {
			return true
		}
	}
	return v.Row != nil && len(v.Row.Received) > 0
}

// PlayWebhooks makes the holds whose notifications are judged, and reads everything that arrived
// during the run. Config.Inbox must be set.
func PlayWebhooks(ctx context.Context, p *Player, _ int) *Webhooks {
	return playOnce(p, "webhooks", 0, func(v *Webhooks, _ string) {
		v.Wait, v.Paths = p.WebhookWait, p.Inbox.Paths()
		w := webhookPlayer{p, ctx, v}
		v.Stop = w.play()
		v.assign(p.Inbox.Contents())
		v.Lookups = p.lookUp(ctx, v.Contents.Webhooks)
	})
}

// webhookPlayer makes the changes of which a partner may notify.
type webhookPlayer struct {
	*Player
	ctx context.Context
	*Webhooks
}

// play makes two holds. If the partner notifies of them, it makes further ones in the slot of the second, gives all seats
// back, and makes another hold whose first notification is refused.
func (p webhookPlayer) play() *partner.Stop {
	first, stop := p.hold(1, "")
	if stop != nil {
		return stop
	}
	second, narrow := p.hold(heldInARow, first.Offer.Product.ID)
	if narrow != nil {
		second, stop = p.hold(1, first.Offer.Product.ID)
	}
	known := p.awaitFurther(nil)
	if stop != nil || !p.Reports() {
		return stop
	}
	if narrow == nil {
		stop = p.row(second)
		known = p.awaitFurther(known)
	}
	p.release(first)
	p.cancel(second)
	refused := p.refuse()
	p.awaitFurther(known)
	return cmp.Or(stop, refused, narrow)
}

// changes lists what was played.
func (v *Webhooks) changes() []*Notified {
	all := slices.Concat(v.Holds, v.Returns)
	if v.Row != nil {
		all = append(all, &v.Row.Notified)
	}
	if v.Once != nil {
		all = append(all, v.Once)
	}
	return all
}

// assign sorts the mail by the changes that it is about.
func (v *Webhooks) assign(mail inbox.Contents) {
	v.Contents = mail
	for _, n := range v.changes() {
		n.assign(mail)
	}
}

func (n *Notified) assign(mail inbox.Contents) {
	n.Received, n.Refused = nil, nil
	for _, w := range mail.Webhooks[n.since:] {
		switch {
		case n.until > 0 && w.Number > n.until, !w.IsAbout(n.Offer.Product.ID, n.Offer.Option.ID, n.Offer.Slot.ID):
		case w.Status == http.StatusServiceUnavailable:
			n.Refused, n.Received = w, nil
		default:
			n.Received = append(n.Received, w)
		}
	}
}

// awaitFurther waits for the notifications of all changes but those known, and returns them all.
func (p webhookPlayer) awaitFurther(known []*Notified) (all []*Notified) {
	all = p.changes()
	p.await(slices.DeleteFunc(slices.Clone(all), func(n *Notified) bool { return slices.Contains(known, n) }))
	p.assign(p.Inbox.Contents())
	return all
}

// await waits until every change was reported, and a moment longer for late notifications. Of a
// change that was not, it reads the seats again.
func (p webhookPlayer) await(changes []*Notified) {
	within, cancel := context.WithTimeout(p.ctx, p.WebhookWait)
	defer cancel()
	reported := func(mail inbox.Contents) bool {
		for _, n := range changes {
			if n.assign(mail); !n.IsReported() {
				return false
			}
		}
		return true
	}
	if p.Inbox.Await(within, reported) {
		partner.Wait(p.ctx, min(p.WebhookWait/settleShare, longestSettle))
	}
	for _, n := range changes {
		if n.assign(p.Inbox.Contents()); n.IsReported() {
			continue
		}
		if again, stop := p.Seats.Look(p.ctx, n.Offer, "after the wait for a notification"); stop == nil {
			n.Seats = append(n.Seats, again)
		}
	}
}

// reserveUnused makes a hold in a slot that the run has not used, so that no earlier change of it can be
// notified late. If seats is more than 1, the slot has room for that many. The slot is of another
// product than that with the id, if possible. expect is told the slot before the reserve is sent.
func (p webhookPlayer) reserveUnused(purpose string, seats int64, otherThan string, expect func(productID, optionID, slotID string)) (o Opening, since int) {
	w := seat(purpose, "")
	w.Seats, w.Room = seats, 2*seats+1
	touched := map[ledger.Slot]bool{}
	for _, entry := range p.Ledger.Entries() {
		touched[entry.Slot] = true
	}
	some := false
	w.Suits = func(o discover.Offer) bool {
		counted := o.Slot.Seats(o.Product).Counted
		some = some || counted
		return counted && !p.Seats.used[o.Key()] && !touched[ledger.SlotOf(o)] && (otherThan == "" || o.Product.ID != otherThan)
	}
	offers, stop := p.Offers(p.ctx, w.Want)
	if stop != nil && otherThan != "" {
		return p.reserveUnused(purpose, seats, "", expect)
	}
	switch {
	case stop == nil:
	case p.survey.Stop != nil || len(p.survey.Offers) == 0:
		return Opening{Stop: stop}, 0
	case !some:
		return Opening{Stop: &partner.Stop{Kind: partner.Unsupported, Message: "no bookable slot states its vacancies, which notifications are compared with"}}, 0
	default:
		return Opening{Stop: partner.NewStop("the run has already used every slot that states its vacancies, and late notifications could be mixed up").
			WithRemedy("Offer more slots in the next 60 days.")}, 0
	}
	for _, offer := range plan.Candidates(offers) {
		since = p.Inbox.Count()
		expect(offer.Product.ID, offer.Option.ID, offer.Slot.ID)
		if o = p.tryOpen(p.ctx, w, offer); o.Stop == nil || !o.Stop.Elsewhere {
			break
		}
	}
	if o.Stop == nil && (o.TakesLater() || !o.Held.Counted) {
		o.Stop = &partner.Stop{Kind: partner.Unsupported, Message: "the partner does not hold seats, so a hold changes nothing"}
	}
	return o, since
}

// hold makes a hold of one seat in a slot with room for that many.
func (p webhookPlayer) hold(seats int64, otherThan string) (*Opening, *partner.Stop) {
	o, since := p.reserveUnused("reserve 1 seat, to see whether it is notified", seats, otherThan, p.Inbox.Expect)
	if o.Stop != nil {
		return &o, o.Stop
	}
	p.Holds = append(p.Holds, &Notified{Change: "a hold", Offer: o.Offer, Seats: []*Reading{o.Held}, since: since})
	return &o, nil
}

// row makes further holds in the slot of a hold.
func (p webhookPlayer) row(o *Opening) *partner.Stop {
	since, seats := p.endChanges(o), []*Reading{o.Held}
	for range heldInARow - 1 {
		_, stop := p.Book.Read(p.Book.Reserve(p.ctx, "reserve 1 of several seats, one after another", o.Offer, leads(1)(o.Offer.Option), true, probe.GoodKey))
		if stop != nil {
			return stop
		}
		read, stop := p.Seats.seats(p.ctx, o.Offer, "after a further reserve")
		if stop != nil {
			return stop
		}
		seats = append(seats, read)
	}
	p.Row = &Row{Notified: Notified{Change: "several holds", Offer: o.Offer, Seats: seats[heldInARow-1:], since: since}, Stable: !p.Seats.OthersSeen()}
	for i, read := range seats {
		p.Row.Stable = p.Row.Stable && read.Counted && read.Last.Left == o.Held.Last.Left-int64(i)
	}
	return nil
}

func (p webhookPlayer) release(o *Opening) {
	n := p.recordReturn("the release of a hold", o)
	t := p.continueLifecycle(p.ctx, o)
	t.give("release the hold, to see whether it is notified", true, "")
	p.take(n, t, "after release")
}

// cancel confirms a hold and cancels the booking. If the partner does not support cancellations, it releases
// the hold.
func (p webhookPlayer) cancel(o *Opening) {
	if p.Book.traits.NoCancel {
		p.release(o)
		return
	}
	n := p.recordReturn("the cancellation of a booking", o)
	t := p.continueLifecycle(p.ctx, o)
	t.book("confirm the hold, to cancel the booking", true, "")
	t.undo("cancel the booking, to see whether it is notified", true, "")
	p.take(n, t, "after the cancellation")
}

// recordReturn begins what is heard of giving a hold back.
func (p webhookPlayer) recordReturn(change string, o *Opening) *Notified {
	return &Notified{Change: change, Offer: o.Offer, since: p.endChanges(o)}
}

// endChanges ends what is heard of the changes of a slot so far, and returns how many webhooks have arrived.
func (p webhookPlayer) endChanges(o *Opening) (since int) {
	since = p.Inbox.Count()
	for _, n := range p.changes() {
		if n.Offer.Key() == o.Offer.Key() && n.until == 0 {
			n.until = since
		}
	}
	return since
}

func (p webhookPlayer) take(n *Notified, t lifecyclePlayer, when string) {
	var after *Reading
	if t.count(when, &after); after != nil {
		n.Seats = []*Reading{after}
		p.Returns = append(p.Returns, n)
	}
}

func (p webhookPlayer) refuse() *partner.Stop {
	o, since := p.reserveUnused("reserve 1 seat, and answer its first notification with 503", 1, "", p.Inbox.RefuseOnce)
	if o.Stop != nil {
		return o.Stop
	}
	p.Once = &Notified{Change: "a hold", Offer: o.Offer, Seats: []*Reading{o.Held}, since: since}
	return nil
}
