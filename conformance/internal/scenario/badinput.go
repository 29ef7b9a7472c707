package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// MalformedRequest is one malformed request and its answer.
type MalformedRequest struct {
	What   string
	Answer *probe.Answer // never nil
	Held   bool          // the partner made a hold, which was released
	Silent time.Duration // how long the partner answered nothing else afterwards; 0 if it answered immediately
}

// MalformedRequests contains the malformed requests of one kind, with their answers.
type MalformedRequests struct {
	Sent []MalformedRequest
	Stop *partner.Stop // why some were not sent
}

// PlayBadPulls pulls the catalog with malformed queries.
func PlayBadPulls(ctx context.Context, p *Player, _ int) MalformedRequests {
	queries := strangeQueries()
	var pulls []malformedBody
	for _, what := range slices.Sorted(maps.Keys(queries)) {
		pulls = append(pulls, malformedBody{what: what})
	}
	return sendAll(ctx, p, pulls, func(n malformedBody) probe.Call {
		call := n.call(partnerapi.Products, http.MethodGet, partnerapi.ProductsPath)
		call.Query = queries[n.what]
		return call
	})
}

// PlayBadQuestions sends malformed requests for slots.
func PlayBadQuestions(ctx context.Context, p *Player, _ int) MalformedRequests {
	return badQuestions(ctx, p, "", func(valid partnerapi.AvailabilityRequest) []malformedBody { return nonsenseOf(valid, "productId") })
}

// PlayBadWindows asks for an option's slots with malformed windows and parties. It returns nil when there
// is no time for it, or no slot.
func PlayBadWindows(ctx context.Context, p *Player, optionKey string, _ int) *MalformedRequests {
	if p.Time.LateForMore() {
		return nil
	}
	o := badQuestions(ctx, p, optionKey, func(partnerapi.AvailabilityRequest) []malformedBody { return nil })
	if o.Sent == nil && o.Stop.OnlyMissing() {
		return nil
	}
	return &o
}

// badQuestions asks about an option, or any if optionKey is empty, with malformed windows and parties after
// what first returns.
func badQuestions(ctx context.Context, p *Player, optionKey string, first func(valid partnerapi.AvailabilityRequest) []malformedBody) MalformedRequests {
	offer, stop := p.offer(ctx, discover.Want{Seats: 1, Counted: true, OptionKey: optionKey})
	if stop != nil {
		return MalformedRequests{Stop: stop}
	}
	valid := questionAbout(offer).request()
	return sendAll(ctx, p, append(first(valid), windowNonsense(valid, offer.Option.Lead())...), func(n malformedBody) probe.Call {
		return n.call(partnerapi.Availability, http.MethodPost, partnerapi.AvailabilityPath)
	})
}

// PlayBadConfirms sends malformed confirms of an unknown code.
func PlayBadConfirms(ctx context.Context, p *Player, _ int) MalformedRequests {
	valid := partnerapi.ConfirmRequest{ReservationConfirmationCode: p.Account.UnknownCode(), Contact: &partner.Contact}
	bodies, contacts := nonsenseOf(valid, "reservationConfirmationCode"), contactNonsense(valid)
	if p.Calls.Sparing {
		bodies, contacts = bodies[:fewBodies], contacts[:fewContacts]
	}
	return sendAll(ctx, p, append(bodies, contacts...), func(n malformedBody) probe.Call {
		return n.call(partnerapi.Confirm, http.MethodPost, partnerapi.ConfirmPath)
	})
}

// PlayBadReleases releases unknown codes with unusual characters.
func PlayBadReleases(ctx context.Context, p *Player, _ int) MalformedRequests {
	return sendAll(ctx, p, p.strangeSegments("reservationConfirmationCode"), func(n malformedBody) probe.Call {
		return n.call(partnerapi.Release, http.MethodDelete, partnerapi.ReleasePath(p.Account.UnknownCode()+n.what))
	})
}

// PlayBadCancels cancels unknown booking ids with unusual characters.
func PlayBadCancels(ctx context.Context, p *Player, _ int) MalformedRequests {
	return sendAll(ctx, p, p.strangeSegments("externalBookingId"), func(n malformedBody) probe.Call {
		return n.call(partnerapi.Cancel, http.MethodPost, partnerapi.CancelPath(p.Account.UnknownCode()+n.what))
	})
}

// BadParties contains reserves with malformed parties for one slot, whose seats are counted before and
// after.
type BadParties struct {
	Opening
	Parties []MalformedRequest
	After   *Reading
}

// BadReserves adds reserves that are malformed in other ways, for the same slot, whose seats are then counted again.
type BadReserves struct {
	BadParties
	Bodies      []MalformedRequest
	AfterBodies *Reading
}

// All returns all requests.
func (b *BadReserves) All() []MalformedRequest { return slices.Concat(b.Parties, b.Bodies) }

// PlayBadReserves plays BadReserves. All attempts use slots of one option. Further attempts are only about the parties if
// these seem to have changed the seats.
func PlayBadReserves(ctx context.Context, p *Player, attempt int) *BadReserves {
	return playOnce(p, "bad reserves", attempt, func(b *BadReserves, option string) {
		valid, t := b.play(ctx, p, option)
		if attempt > 0 && PlayBadReserves(ctx, p, 0).partiesMovedSeats() {
			return
		}
		t.step(func() (stop *partner.Stop) {
			bodies := append(nonsenseOf(valid, "availabilityId"), contactNonsense(valid)...)
			bodies = append(bodies, setField(partner.Encode(valid), "1,000 units", "units", slices.Repeat(quantity(valid.Units[0].ID, "1"), manyUnits)))
			b.Bodies, stop = reserveAll(ctx, p, b.Offer, bodies)
			return stop
		})
		t.count("after malformed reserves", &b.AfterBodies)
	})
}

// partiesMovedSeats reports whether the slot had other seats left after the malformed parties.
func (b *BadParties) partiesMovedSeats() bool {
	return b.After != nil && b.Before.Counted && b.After.Counted && b.After.First.Left != b.Before.Last.Left
}

// PlayBadInputOptions returns the keys of the options in which malformed windows and parties are sent as
// well.
func PlayBadInputOptions(ctx context.Context, p *Player) []string {
	bookable, all := p.bookableOffers(ctx)
	return plan.BookableOptions(bookable, all, p.Depth.BadInputs())
}

// PlayBadParties plays BadParties for an option. It returns nil when there is no time for it, or no slot.
func PlayBadParties(ctx context.Context, p *Player, optionKey string, attempt int) *BadParties {
	name := "bad parties " + optionKey
	if p.isLateFor(name) {
		return nil
	}
	b := playOnce(p, name, attempt, func(b *BadParties, _ string) { b.play(ctx, p, optionKey) })
	if attempt == 0 && b.Parties == nil && b.Stop.OnlyMissing() {
		return nil
	}
	return b
}

// play sends malformed parties for a slot of an option. It returns a valid request, and how to go on.
func (b *BadParties) play(ctx context.Context, p *Player, optionKey string) (valid partnerapi.ReserveRequest, t lifecyclePlayer) {
	t = p.continueLifecycle(ctx, &b.Opening)
	if b.Offer, b.Stop = p.offer(ctx, discover.Want{Seats: 1, Counted: true, OptionKey: optionKey}); b.Stop != nil {
		return valid, t
	}
	valid = partnerapi.ReserveRequest{
		ProductID: b.Offer.Product.ID, OptionID: b.Offer.Option.ID, AvailabilityID: b.Offer.Slot.ID, Units: partner.Guests(b.Offer.Option, 1),
	}
	var parties []malformedBody
	strange := strangeParties(b.Offer.Option.Lead())
	for _, what := range slices.Sorted(maps.Keys(strange)) {
		parties = append(parties, setField(partner.Encode(valid), what, "units", strange[what]))
	}
	t.count("before malformed reserves", &b.Before)
	t.step(func() (stop *partner.Stop) { b.Parties, stop = reserveAll(ctx, p, b.Offer, parties); return stop })
	t.count("after reserves for malformed parties", &b.After)
	return valid, t
}

// reserveAll sends reserves that should make no hold, until one is not answered. If the partner
// still makes a hold, it is recorded in the ledger and released immediately.
func reserveAll(ctx context.Context, p *Player, offer discover.Offer, all []malformedBody) ([]MalformedRequest, *partner.Stop) {
	return p.tryAll(ctx, partnerapi.Reserve, all, func(n malformedBody) (MalformedRequest, *partner.Stop) {
		entry, stop := p.Account.attempt(offer, nil)
		if stop != nil {
			return MalformedRequest{}, stop
		}
		answer, stop := p.Calls.SendUnusual(context.WithoutCancel(ctx), n.call(partnerapi.Reserve, http.MethodPost, partnerapi.ReservePath))
		p.Account.recordReserve(entry, answer)
		odd := MalformedRequest{What: n.what, Answer: answer, Held: entry.State == ledger.Held}
		if stop == nil && odd.Held {
			_, stop = p.Book.releaseHold(ctx, "release it", newHold(entry, answer), true)
		}
		if stop == nil && ctx.Err() != nil {
			stop = p.Time.StopCause()
		}
		return odd, stop
	})
}

func sendAll(ctx context.Context, p *Player, all []malformedBody, call func(malformedBody) probe.Call) (o MalformedRequests) {
	o.Sent, o.Stop = p.tryAll(ctx, call(all[0]).Endpoint, all, func(n malformedBody) (MalformedRequest, *partner.Stop) {
		answer, stop := p.Calls.SendUnusual(ctx, call(n))
		return MalformedRequest{What: n.what, Answer: answer}, stop
	})
	return o
}

const (
	// malformedTime is how long malformed requests to one endpoint may take, to be sent one at a time.
	malformedTime = 10 * time.Second
	// suspectTime is how long a malformed request takes after which the partner may answer nothing else.
	suspectTime = 500 * time.Millisecond
	// silentTime is how long a partner does not answer before it is silent, and mostSilent for how long it is waited for.
	silentTime, mostSilent = 2 * time.Second, 20 * time.Second
)

// tryAll sends malformed requests: one at a time, so that what stops the partner is known, or a few at the same time where
// that would take too long. It stops after one that is not answered in time, or after which the partner is silent: that is
// enough for a finding, and no other call must be blamed for it.
func (p *Player) tryAll(ctx context.Context, to partnerapi.Endpoint, all []malformedBody, send func(malformedBody) (MalformedRequest, *partner.Stop)) ([]MalformedRequest, *partner.Stop) {
	few := 1
	if !p.NoRaces && time.Duration(len(all))*p.Calls.Usual(to) > malformedTime {
		few = partner.FewCallers
	}
	return tryAll(few, all, send, func() time.Duration { return p.awaitAnswer(ctx) })
}

func tryAll(few int, all []malformedBody, send func(malformedBody) (MalformedRequest, *partner.Stop), await func() time.Duration) (sent []MalformedRequest, stop *partner.Stop) {
	for few := range slices.Chunk(all, few) {
		came, stops := make([]MalformedRequest, len(few)), make([]*partner.Stop, len(few))
		var running sync.WaitGroup
		for i, n := range few {
			running.Go(func() { came[i], stops[i] = send(n) })
		}
		running.Wait()
		if i := slices.IndexFunc(stops, func(s *partner.Stop) bool { return s != nil }); i >= 0 {
			return sent, stops[i]
		}
		last := &came[len(came)-1]
		if late := slices.ContainsFunc(came, MalformedRequest.isLate); late || last.Answer.Duration > suspectTime {
			last.Silent = await()
		}
		if sent = append(sent, came...); last.Silent > 0 || slices.ContainsFunc(came, MalformedRequest.isLate) {
			break
		}
	}
	return sent, nil
}

// awaitAnswer waits until the partner answers a probe, and returns how long it was silent; 0 if it answers as usual.
func (p *Player) awaitAnswer(ctx context.Context) time.Duration {
	began := time.Now()
	for time.Since(began) < mostSilent && ctx.Err() == nil {
		call := partner.Products("health probe, after a malformed request", url.Values{"limit": {"1"}}, probe.GoodKey)
		call.Deadline = mostSilent - time.Since(began)
		answer := p.Calls.Client.Do(ctx, call)
		if answer.Failure == nil && answer.Duration < silentTime {
			break
		}
	}
	if silent := time.Since(began); silent >= silentTime {
		return silent
	}
	return 0
}

func (o MalformedRequest) isLate() bool {
	return o.Answer.Failure != nil && o.Answer.Failure.Kind == report.Timeout
}

func (n malformedBody) call(endpoint partnerapi.Endpoint, method, path string) probe.Call {
	return probe.Call{Endpoint: endpoint, Purpose: n.what, Method: method, Path: path, Body: n.body, BodyType: n.bodyType, Key: probe.GoodKey}
}

type malformedBody struct {
	what     string
	body     []byte
	bodyType string // "": application/json
}

const (
	longText  = 100_000 // characters
	deepLists = 1_000   // nested
	manyUnits = 1_000   // in one party

	// A run that makes few calls tries every malformed body at reserve, but only the first of them at confirm, release and cancel.
	fewBodies, fewContacts, fewSegments = 6, 1, 4
)

// nonsenseOf makes malformed bodies from a valid one. id is the name of a required text field.
func nonsenseOf(valid any, id string) []malformedBody {
	whole := partner.Encode(valid)
	form := url.Values{id: {"x"}}.Encode()
	return []malformedBody{
		{what: "half a body", body: whole[:len(whole)/2]},
		{what: "no body"},
		{what: "a list in place of a body", body: []byte("[1,2,3]")},
		{what: "a body without " + id, body: partner.Edit(whole, func(body map[string]any) { delete(body, id) })},
		setField(whole, "a number in place of "+id, id, 17),
		setField(whole, id+" with characters of many alphabets", id, "Größe \x00 東京 '; --"),
		setField(whole, id+" of 100,000 letters", id, strings.Repeat("x", longText)),
		setField(whole, "1,000 lists, one within the other", "contact", json.RawMessage(strings.Repeat("[", deepLists)+strings.Repeat("]", deepLists))),
		{what: id + " twice in a body", body: append(fmt.Appendf(nil, `{%q:"x",`, id), whole[1:]...)},
		{what: "a body that is declared as text", body: whole, bodyType: "text/plain"},
		{what: "a body without a Content-Type", body: whole, bodyType: probe.NoType},
		{what: "a form in place of a body", body: []byte(form), bodyType: "application/x-www-form-urlencoded"},
	}
}

// contactNonsense replaces the contact of a valid body with invalid ones.
func contactNonsense(valid any) []malformedBody {
	whole := partner.Encode(valid)
	named := func(name any) map[string]any { return map[string]any{"fullName": name} }
	return []malformedBody{
		setField(whole, "a text in place of a guest", "contact", "x"),
		setField(whole, "a guest's name that is not text", "contact", named([]any{1, nil})),
		setField(whole, "a guest's name with a NUL in it", "contact", named("Conformance\x00Test")),
		setField(whole, "a guest's name with half a character", "contact", named(json.RawMessage(`"Test \ud83c"`))),
	}
}

// windowNonsense makes requests with malformed windows, and with options and parties that no marketplace sends,
// from a valid request. A partner may answer windows of several months.
func windowNonsense(valid partnerapi.AvailabilityRequest, lead string) []malformedBody {
	whole := partner.Encode(valid)
	window := func(what, from, to string) malformedBody {
		return malformedBody{what: what, body: partner.Edit(whole, func(body map[string]any) { body["localDateStart"], body["localDateEnd"] = from, to })}
	}
	party := func(what string, units any) malformedBody { return setField(whole, what, "units", units) }
	return []malformedBody{
		window("a date that no calendar has", "2030-02-30", "2030-02-31"),
		window("a date in words", "tomorrow", "tomorrow"),
		window("a window that ends before it begins", "2030-02-10", "2030-02-01"),
		window("a window of four months", "2030-01-01", "2030-04-30"),
		window("a window in the past", "1970-01-01", "1970-01-02"),
		setField(whole, "an option that is not sold", "optionId", "option-that-does-not-exist"),
		party("an empty party", []any{}),
		party("no guests", quantity(lead, "0")),
		party("minus one guests", quantity(lead, "-1")),
		party("more guests than an integer can hold", quantity(lead, "1e400")),
		party("1,000 units", slices.Repeat(quantity(lead, "1"), manyUnits)),
	}
}

func strangeParties(lead string) map[string]any {
	return map[string]any{
		"an empty party":                  []any{},
		"no guests":                       quantity(lead, "0"),
		"minus one guests":                quantity(lead, "-1"),
		"a guest of a type not sold":      quantity("unit-that-does-not-exist", "1"),
		"more guests than can be counted": quantity(lead, "1"+strings.Repeat("0", 30)),
	}
}

func quantity(unit, number string) []map[string]any {
	return []map[string]any{{"id": unit, "quantity": json.Number(number)}}
}

// strangeSegments returns malformed requests about codes and ids that no partner can know. The name
// of each request is part of its code. No code is a pattern that could match other codes.
func (p *Player) strangeSegments(named string) []malformedBody {
	all := []malformedBody{
		{what: "half a body", body: []byte(`{"reason":`)},
		{what: "a list in place of a body", body: []byte("[1,2,3]")},
		{what: "a body of another code", body: partner.Encode(map[string]string{named: "another-code"})},
		{what: "a text in place of a body", body: []byte("please"), bodyType: "text/plain"},
		{what: "Größe 東京 '; -- %2F ../", body: []byte("{}")},
		{what: "a NUL \x00"},
		{what: strings.Repeat("x", 1_000)},
	}
	if p.Calls.Sparing {
		return all[:fewSegments]
	}
	return all
}

func strangeQueries() map[string]url.Values {
	return map[string]url.Values{
		"a limit below nothing":          {"limit": {"-1"}},
		"a limit in words":               {"limit": {"a few"}},
		"a limit that cannot be counted": {"limit": {"1" + strings.Repeat("0", 30)}},
		"changes since no time":          {"updated_since": {"2030-02-30T25:00:00Z"}},
	}
}

func setField(whole []byte, what, field string, value any) malformedBody {
	return malformedBody{what: what, body: partner.Edit(whole, func(body map[string]any) { body[field] = value })}
}
