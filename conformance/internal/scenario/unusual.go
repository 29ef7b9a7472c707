package scenario

import (
	"context"
	"encoding/json"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
)

// guestName is a name with characters that real names have: an apostrophe and a hyphen, several
// alphabets, some of them written right to left, a combining character, and a character of four
// bytes. guestAddress has a tag, as many real addresses do.
const (
	guestName    = "Zoë O'Brien-Ñandú 東京 שלום محمد Анна Ελένη é 🎟"
	guestAddress = "conformance+test@example.com"
)

func useForeignName(body []byte) []byte {
	return editBody(body, func(fields map[string]any) {
		if guest, ok := fields["contact"].(map[string]any); ok {
			guest["fullName"], guest["emailAddress"] = guestName, guestAddress
		}
	})
}

const unnamedField = "notInTheContract"

// withUnnamed adds fields that the contract does not name: to the body, to each unit of the party,
// and to the guest.
func withUnnamed(body []byte) []byte {
	more := json.RawMessage(`{"list":[1,null,"x"],"yes":true}`)
	return editBody(body, func(fields map[string]any) {
		fields[unnamedField] = more
		units, _ := fields["units"].([]any)
		for _, inner := range append(units, fields["contact"]) {
			if object, ok := inner.(map[string]any); ok {
				object[unnamedField] = more
			}
		}
	})
}

// UnusualBooking is a booking whose requests are lawful but unusual.
type UnusualBooking struct {
	Opening
	Confirm   *probe.Answer
	Confirmed bool
	Cancel    *probe.Answer
}

// Unusual is a way in which bookings are unusual.
type Unusual struct {
	name   string
	change change // of the bodies of reserve and confirm
	undo   bool   // the body of cancel is changed too
}

// The ways in which bookings are unusual.
var (
	ForeignGuest  = Unusual{name: "for a guest whose name is of many alphabets", change: useForeignName}
	UnnamedFields = Unusual{name: "with fields that the contract does not name", change: withUnnamed, undo: true}
	asUsual       = Unusual{name: "as usual", change: func(body []byte) []byte { return body }, undo: true}
)

// Play plays such a booking.
func (u Unusual) Play(ctx context.Context, p *Player, _ int) *UnusualBooking {
	return p.unusualBooking(ctx, u, "")
}

// A run may make so many holds and bookings for each product of PlayProducts, so that few of them, about
// seven and six, are for that product.
const productHolds, productBookings = 120, 30

// PlayProducts returns the key of an option of each product, in which unusual bookings are made and codes
// near live ones are tried as well.
func PlayProducts(ctx context.Context, p *Player) []string {
	bookable, all := p.bookableOffers(ctx)
	return plan.BookableProducts(bookable, all, min(p.Depth.Products(), p.Bounds.MaxHolds/productHolds, p.Bounds.MaxBookings/productBookings))
}

// PlayIn plays such a booking in an option. It returns nil when there is no time for it, or no slot, and
// if usual bookings of the option fail too.
func (u Unusual) PlayIn(ctx context.Context, p *Player, optionKey string, _ int) *UnusualBooking {
	if p.Time.LateForMore() {
		return nil
	}
	b := p.unusualBooking(ctx, u, optionKey)
	if b.Confirmed && (b.Cancel == nil || b.cancelled()) {
		return b
	}
	if b.Stop.OnlyMissing() && b.Stop.Kind != partner.Refused {
		return nil
	}
	usual := p.unusualBooking(ctx, asUsual, optionKey)
	if usual.Hold == nil || b.Hold != nil && !usual.Confirmed || b.Confirmed && !usual.cancelled() {
		return nil
	}
	return b
}

func (b *UnusualBooking) cancelled() bool {
	return b.Cancel != nil && b.Cancel.HasStatus(http.StatusOK)
}

// unusualBooking plays an unusual booking of an option, or of any if optionKey is empty. A partner
// without cancel gets a hold instead.
func (p *Player) unusualBooking(ctx context.Context, u Unusual, optionKey string) *UnusualBooking {
	first := PlayBooking(ctx, p, 0)
	return playOnce(p, u.name+" "+optionKey, 0, func(b *UnusualBooking, _ string) {
		want := seat("reserve 1 seat, "+u.name, optionKey)
		want.change = u.change
		t := p.begin(ctx, &b.Opening, want)
		if p.Book.traits.NoCancel {
			t.give("release the hold", true, new(Act), "")
			t.step(func() *partner.Stop { return first.Stop })
		}
		t.step(func() *partner.Stop { return p.Book.MayBook(ctx) })
		t.step(func() (stop *partner.Stop) {
			call := partner.Confirm("confirm the hold, "+u.name, b.Hold.Code, b.Hold.entry, true, probe.GoodKey)
			call.Body = u.change(call.Body)
			b.Confirm, stop = t.unlessGone(func() (*probe.Answer, *partner.Stop) {
				answer, stop := p.Book.confirmAs(ctx, b.Hold, call)
				if stop == nil && !(answer.HasStatus(http.StatusOK) && b.Hold.entry.State == ledger.Booked) {
					stop = partner.StopAt(partner.WrongStatus, answer, "Expected 200 and a booking, received %s", answer.Words()).WithForm(partner.Unusual)
				}
				return answer, stop
			})
			b.Confirmed = stop == nil
			return stop
		})
		t.step(func() (stop *partner.Stop) {
			if !u.undo {
				_, stop = p.Book.cancelBooking(ctx, "cancel the booking", b.Hold, b.Hold.BookingID(), true)
				return stop
			}
			call := partner.Cancel("cancel the booking, "+u.name, b.Hold.BookingID(), true, probe.GoodKey)
			b.Cancel, stop = p.Book.undoAs(ctx, b.Hold, call, u.change)
			return stop
		})
	})
}

// undoAs sends a changed call that undoes a hold or its booking.
func (b *Booker) undoAs(ctx context.Context, h *Hold, call probe.Call, change change) (*probe.Answer, *partner.Stop) {
	call.Body = change(call.Body)
	answer, stop := b.calls.Call(ctx, call, true)
	if stop == nil {
		b.account.Settle(answer, h)
	}
	return answer, stop
}

// OpenRelease is a hold that is released with additional fields in the body.
type OpenRelease struct {
	Opening
	Release Act
}

// PlayOpenRelease makes a hold and releases it with fields that the contract does not name.
func PlayOpenRelease(ctx context.Context, p *Player, _ int) *OpenRelease {
	return p.openRelease(ctx, "")
}

// PlayOpenReleaseIn plays such a release in an option. It returns nil when there is no time for it, or no
// slot, and if a usual release fails too.
func PlayOpenReleaseIn(ctx context.Context, p *Player, optionKey string, _ int) *OpenRelease {
	if p.Time.LateForMore() {
		return nil
	}
	r := p.openRelease(ctx, optionKey)
	if answer := r.Release.Answer; answer == nil {
		return nil
	} else if !answer.HasStatus(http.StatusOK) {
		usual := PlayOptionCheck(ctx, p, optionKey, 0)
		if usual == nil || usual.Release.Answer == nil || !usual.Release.Answer.HasStatus(http.StatusOK) {
			return nil
		}
	}
	return r
}

// openRelease plays an OpenRelease of an option, or of any if optionKey is empty.
func (p *Player) openRelease(ctx context.Context, optionKey string) *OpenRelease {
	return playOnce(p, "open release "+optionKey, 0, func(r *OpenRelease, _ string) {
		t := p.begin(ctx, &r.Opening, seat("reserve 1 seat, to release it", optionKey))
		t.act(&r.Release, "", func() (*probe.Answer, *partner.Stop) {
			call := partner.Release("release the hold, with fields that the contract does not name", r.Hold.Code, true, probe.GoodKey)
			return p.Book.undoAs(ctx, r.Hold, call, withUnnamed)
		})
	})
}

// OpenQuestion is a question about slots with additional fields in the body.
type OpenQuestion struct {
	Stop *partner.Stop // nil if the answer can be read
}

// PlayOpenQuestion requests slots with fields that the contract does not name.
func PlayOpenQuestion(ctx context.Context, p *Player, _ int) OpenQuestion {
	offer, stop := p.offer(ctx, discover.Want{Seats: 1, Counted: true})
	if stop != nil {
		return OpenQuestion{stop}
	}
	return OpenQuestion{p.askOpenly(ctx, questionAbout(offer))}
}

// PlayOpenQuestionIn plays such a question about an option. It returns nil when there is no time for it, or
// no slot, and if the usual question fails too.
func PlayOpenQuestionIn(ctx context.Context, p *Player, optionKey string, _ int) *OpenQuestion {
	offer, stop := p.offer(ctx, discover.Want{Seats: 1, Counted: true, OptionKey: optionKey})
	if stop != nil || p.Time.LateForMore() {
		return nil
	}
	q := questionAbout(offer)
	open := &OpenQuestion{p.askOpenly(ctx, q)}
	if open.Stop == nil {
		return open
	}
	if _, stop = p.read.askFor(ctx, "slots of a day", q); stop != nil {
		return nil
	}
	return open
}

func (p *Player) askOpenly(ctx context.Context, q Question) *partner.Stop {
	call := partner.Availability("slots of a day, with fields that the contract does not name", q.request(), probe.GoodKey)
	call.Body = withUnnamed(call.Body)
	answer, stop := p.Calls.Call(ctx, call, true)
	_, stop = p.read.readAsked(ctx, q, answer, stop)
	return stop
}

// Partial lists the bookings whose reserve and confirm lack one optional field. Other lifecycles cover all
// fields and none. A contact that the marketplace sends always has a name and an email address.
var Partial = []Unusual{
	{name: "without a reference", change: removeField("resellerReference", "")},
	{name: "without a contact", change: removeField("contact", "")},
	{name: "without the contact's phone number", change: removeField("phoneNumber", "contact")},
}

// removeField leaves out a field of an object in the body, or of the body.
func removeField(field, object string) change {
	return func(body []byte) []byte {
		return editBody(body, func(fields map[string]any) {
			if inner, ok := fields[object].(map[string]any); ok {
				fields = inner
			}
			delete(fields, field)
		})
	}
}

// PartialBooking is a booking whose reserve and confirm lack one optional field.
type PartialBooking struct {
	*UnusualBooking
	Name string
}

// Instances returns what the booking is an instance of; nil if no hold was made.
func (b *PartialBooking) Instances() []plan.Instance {
	if b.Hold == nil {
		return nil
	}
	return []plan.Instance{{plan.Body: b.Name, plan.Product: b.Offer.Product.ID, plan.Option: b.OptionKey()}}
}

// PartialBodies returns the number of such bookings at the depth of the run.
func PartialBodies(_ context.Context, p *Player) int {
	if p.Depth == plan.Quick {
		return 0
	}
	return len(Partial)
}

// PlayPartialBody books without the optional field at that index of Partial.
func PlayPartialBody(ctx context.Context, p *Player, number int) *PartialBooking {
	lacks := Partial[number]
	return &PartialBooking{p.unusualBooking(ctx, lacks, ""), lacks.name}
}
