package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

type Hold struct {
	Code     string
	Answer   *probe.Answer
	Answered time.Time     // by this machine's clock
	Expires  time.Time     // zero if it cannot be read
	Life     time.Duration // from the answer to Expires

	entry  *ledger.Entry
	others map[string]*ledger.Entry // further bookings that confirms of the code returned, by booking id
}

func (h *Hold) BookingID() string { return h.entry.BookingID }

// Held reports whether the hold was made and is neither booked nor released.
func (h *Hold) Held() bool { return h.entry.State == ledger.Held }

// stage returns the stage of a hold that was made.
func (h *Hold) stage() model.Stage {
	switch booked := h.BookingID() != ""; {
	case h.Held():
		return model.Held
	case h.entry.State == ledger.Booked:
		return model.Booked
	case booked:
		return model.Cancelled
	default:
		return model.Released
	}
}

// Traits is what the run has observed of the partner so far.
type Traits struct {
	Holdless    bool   // it keeps no seats for holds
	NoCancel    bool   // it takes no cancellations
	NothingFree string // why no slot can be booked; "" if one can
	early, late int    // of the holds of a Holdless partner: how many took seats at reserve, and how many did not
	held        bool   // a hold was made
}

// TakesLater reports whether the partner's confirms take the seats, as observed so far.
func (t Traits) TakesLater() bool { return t.Holdless && t.early <= t.late }

// Bounds limits how many holds and bookings the run may make.
type Bounds struct{ MaxHolds, MaxBookings int }

// Booker makes holds and bookings, and releases and cancels them. Each is recorded in the ledger
// before its request is sent, and its outcome before anything else happens.
type Booker struct {
	calls  *caller
	traits *Traits
	made   int // number of bookings
}

// Reserve sends one reserve. An interrupt does not cancel it: a hold whose answer is not read
// cannot be released.
func (b *Booker) Reserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*Hold, *Stop) {
	return b.reserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call { return reserveCall(purpose, entry, full, key) })
}

// reserveAs sends the reserve that call makes from its ledger entry. Check Held: the returned Hold
// may be a refused reserve.
func (b *Booker) reserveAs(ctx context.Context, offer discover.Offer, units []partnerapi.UnitQuantity, call func(*ledger.Entry) probe.Call) (*Hold, *Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.out()
	}
	entry, stop := b.attempt(offer, units)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.call(context.WithoutCancel(ctx), call(entry), false)
	b.calls.Ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	if stop != nil {
		return nil, stop
	}
	return held(entry, answer), nil
}

func held(entry *ledger.Entry, answer *probe.Answer) *Hold {
	return &Hold{entry: entry, Answer: answer, Code: entry.Code, Answered: answer.StartedAt.Add(answer.Duration)}
}

// attempt records a reserve before it is sent. If it returns a stop, the reserve must not be sent:
// it is out of bounds or could not be recorded.
func (b *Booker) attempt(offer discover.Offer, units []partnerapi.UnitQuantity) (*ledger.Entry, *Stop) {
	if b.calls.ReadOnly {
		return nil, outOfBounds(ReadOnly).WithRemedy(NotReadOnly)
	}
	if b.holds() >= b.calls.Bounds.MaxHolds {
		return nil, outOfBounds("no more than %s may be made (--max-holds)", count.Of(b.calls.Bounds.MaxHolds, "hold")).WithRemedy("Run with a higher --max-holds.")
	}
	entry, err := b.calls.Ledger.Attempt(ledger.SlotOf(offer), units)
	if err != nil {
		return nil, unrecorded(err)
	}
	return entry, nil
}

// holds returns the number of holds that were made or may have been made.
func (b *Booker) holds() (made int) {
	for _, entry := range b.calls.Ledger.Entries() {
		if entry.Code != "" || entry.State == ledger.Attempted || entry.State == ledger.Unheard {
			made++
		}
	}
	return made
}

// Plenty reports whether there are holds and bookings to spare. Tests that can be repeated any
// number of times must leave a tenth for the others, and a quarter if random lifecycles are to be
// played.
func (b *Booker) Plenty() bool {
	parts := 10
	if b.calls.Stories > 0 {
		parts = 4
	}
	return parts*b.holds() < (parts-1)*b.calls.Bounds.MaxHolds && parts*b.made < (parts-1)*b.calls.Bounds.MaxBookings
}

// recordReserve records the outcome of a reserve. Any 2xx answer with a code is a hold that must be
// released.
func recordReserve(entry *ledger.Entry, answer *probe.Answer) {
	switch {
	case answer == nil: // not sent
		entry.State = ledger.Refused
	case answer.Failure != nil:
		entry.State = ledger.Unheard
	default:
		entry.Code, entry.ExpiresAt = Text(answer, "reservationConfirmationCode"), Text(answer, "expiresAt")
		switch {
		case entry.Code != "" && answer.Response.Status/100 == 2:
			entry.State = ledger.Held
		case answer.Response.Status/100 == 2:
			entry.State, entry.Trouble = ledger.Unheard, "the answer to reserve had no code"
		default:
			entry.State, entry.Code = ledger.Refused, ""
		}
	}
}

// read reads the answer to a reserve with the registered key. It must be a usable hold or a lawful
// refusal.
func (b *Booker) read(h *Hold, stop *Stop) (*Hold, *Stop) {
	if stop != nil {
		return nil, stop
	}
	answer := h.Answer
	if answer.OK(http.StatusBadRequest) {
		stop := stopAt(Refused, answer, "reserve was refused: %s", RefusalOf(answer))
		stop.Elsewhere = true
		return nil, stop
	}
	if stop := unlike(answer, "200 or 201 with a hold", Usual, http.StatusOK, http.StatusCreated); stop != nil {
		return nil, stop
	}
	if flaw := NoObject(answer); flaw != "" {
		return nil, stopAt(Unreadable, answer, "%s", flaw)
	}
	for _, problem := range schemas.Validate(schemas.ReserveAnswer, answer.Raw) {
		if problem.Pointer != "/expiresAt" { // a hold without it can still be used
			return nil, b.misfit(answer, problem)
		}
		b.calls.Witness.Answer(answer, problem)
	}
	for _, problem := range unstorable(answer, "reservationConfirmationCode", "expiresAt") {
		b.calls.Witness.Answer(answer, problem)
	}
	if expires, err := partnerapi.ParseDateTime(h.entry.ExpiresAt); err == nil {
		h.Expires, h.Life = expires, expires.Sub(h.Answered.Add(b.calls.Clock.Ahead()))
		b.traits.Holdless = b.traits.Holdless || h.Life > partnerapi.HoldlessAfter
	}
	return h, nil
}

// unlike returns the stop of an answer that broke off or has another status than the given ones.
func unlike(answer *probe.Answer, want string, form Form, statuses ...int) *Stop {
	switch {
	case answer.BrokeOff(statuses...):
		return stopAt(Unreadable, answer, "Expected a complete JSON object: %s", answer.Failure.Message)
	case !answer.OK(statuses...):
		return stopAt(WrongStatus, answer, "Expected %s, received %s", want, answer.Words()).in(form)
	default:
		return nil
	}
}

const (
	longestID           = 1000 // bytes of a code or booking id that the marketplace can store
	firstYear, lastYear = 2000, 2200
)

// unstorable returns the problems of an answer's fields that the marketplace cannot store: codes
// that are too long, NUL characters, and dates in another age.
func unstorable(answer *probe.Answer, fields ...string) (problems []schemas.Problem) {
	note := func(field, format string, args ...any) {
		problems = append(problems, schemas.Problem{Pointer: "/" + field, Message: fmt.Sprintf(format, args...)})
	}
	for _, field := range fields {
		text := Text(answer, field)
		if at, err := partnerapi.ParseDateTime(text); err == nil && field == "expiresAt" {
			if at.Year() < firstYear || at.Year() > lastYear {
				note(field, "expected a year from %d to %d, received %d", firstYear, lastYear, at.Year())
			}
			continue
		}
		if len(text) > longestID {
			note(field, "expected at most %d bytes, received %d", longestID, len(text))
		}
		if strings.Contains(text, "\x00") {
			note(field, "expected text without NUL characters")
		}
	}
	return problems
}

func (b *Booker) misfit(answer *probe.Answer, problem schemas.Problem) *Stop {
	stop := stopAt(Misfit, answer, "%s", problem)
	stop.Problem = problem
	stop.Exchanges[0] = answer.Marked(discover.Object(answer.Raw), problem.Pointer, b.calls.Client.Redactor().Redact)
	return stop
}

func RefusalOf(answer *probe.Answer) string {
	if message := Text(answer, "message"); message != "" {
		return fmt.Sprintf("%q", message)
	}
	return "no message"
}

// NoObject returns why an answer's body is not a JSON object, or "".
func NoObject(answer *probe.Answer) string {
	value, err := discover.Decode(answer.Raw)
	if err != nil {
		return "Expected a JSON object: " + err.Error()
	}
	if _, ok := value.(map[string]any); !ok {
		return "Expected a JSON object, received another JSON value"
	}
	return ""
}

// reserveAnyway sends a reserve and accepts any answer, including a refusal. A hold that was made
// is released immediately.
func (b *Booker) reserveAnyway(ctx context.Context, purpose string, offer discover.Offer, party []partnerapi.UnitQuantity, full bool) (*probe.Answer, *Stop) {
	made, stop := b.Reserve(ctx, purpose, offer, party, full, probe.GoodKey)
	if stop != nil {
		return nil, stop
	}
	if made.Held() {
		_, stop = b.releaseHold(ctx, "release it", made, true)
	}
	return made.Answer, stop
}

// mostReserves is the maximum number of reserves that take sends, including refused ones.
const mostReserves = 10

// take reserves the given number of seats in one hold. If the partner limits its party size, take
// halves the party until it is accepted. purpose contains a format verb (%s) for the seats. Holds
// are returned even if there is a stop.
func (b *Booker) take(ctx context.Context, offer discover.Offer, seats int64, purpose string) ([]*Hold, *Stop) {
	var holds []*Hold
	party := seats
	for range mostReserves {
		if seats == 0 {
			return holds, nil
		}
		party = min(party, seats)
		made, stop := b.read(b.Reserve(ctx, fmt.Sprintf(purpose, model.SeatsWord(party)), offer, Guests(offer.Option, party), true, probe.GoodKey))
		switch {
		case stop == nil:
			holds = append(holds, made)
			seats -= party
		case stop.Kind == Refused && party > 1:
			party /= 2
		default:
			return holds, stop
		}
	}
	if seats == 0 {
		return holds, nil
	}
	return holds, Missing("no slot has few enough seats to be sold out by %d reserves", mostReserves).
		WithRemedy("Offer a slot with few vacancies.")
}

func (b *Booker) giveAll(ctx context.Context, purpose string, holds []*Hold) *Stop {
	for _, made := range holds {
		if !made.Held() {
			continue
		}
		if _, stop := b.releaseHold(ctx, purpose, made, true); stop != nil {
			return stop
		}
	}
	return nil
}
