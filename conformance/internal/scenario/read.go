package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// MostSlots bounds the slots of one answer that tests use: one every five minutes for 60 days makes
// 17,280. The observer sees every slot that arrives.
const MostSlots = 20_000

// Observer receives every part of an answer while it is read, because there are too many parts to
// keep.
type Observer interface {
	// Product receives each schema problem of a product of the first pull.
	Product(pull *report.Exchange, index int, product any, problem schemas.Problem)
	// Slot receives each slot of an answer, as read and as decoded, with its schema problems.
	Slot(of SlotAnswer, index int, slot discover.Slot, value any, problems []schemas.Problem)
	// Slots receives each answer after all its slots are read.
	Slots(of SlotAnswer)
	// ObserveVanished receives an answer that lacks a slot, which the same question showed again directly
	// afterwards, with seats left.
	ObserveVanished(in SlotAnswer, slot discover.Slot)
	// Answer receives each schema problem of an answer that can still be used.
	Answer(answer *probe.Answer, problem schemas.Problem)
}

// Question is a request for the slots of an option in a window.
type Question struct {
	Product discover.Product
	Option  discover.Option
	Window  discover.Window
}

// questionAbout returns the question for the day of the offer's slot.
func questionAbout(offer discover.Offer) Question {
	return Question{offer.Product, offer.Option, discover.Day(offer.Slot.Start, offer.Product.Zone)}
}

func (q Question) request() partnerapi.AvailabilityRequest {
	return partnerapi.AvailabilityRequest{
		ProductID: q.Product.ID, OptionID: q.Option.ID,
		LocalDateStart: q.Window.From, LocalDateEnd: q.Window.To, Units: partner.Leads(q.Option, 1), // whatever parties the option takes (AVL-2)
	}
}

func (q Question) String() string {
	return fmt.Sprintf("product %q, option %q", q.Product.ID, q.Option.ID)
}

// SlotAnswer is one readable answer of POST /availability.
type SlotAnswer struct {
	Question
	Slots    []discover.Slot
	Exchange *report.Exchange
}

// offers returns the slots of the answer as offers.
func (a SlotAnswer) offers() (all []discover.Offer) {
	for _, slot := range a.Slots {
		all = append(all, discover.Offer{Product: a.Product, Option: a.Option, Slot: slot})
	}
	return all
}

// Catalog is the answer to a pull of the catalog.
type Catalog struct {
	Answer   *probe.Answer
	Products []discover.Product
	Misfit   string        // the first schema problem of a product
	Stop     *partner.Stop // nil if the catalog could be read
}

type reader struct {
	calls    *partner.Caller
	observer Observer
	filled   bool // there are options that returned slots
	pulls    pulls
	valid    validSlots
}

// validSlots remembers the texts of slots without a schema problem by a hash with a random seed. A run reads
// most slots dozens of times, and validating one takes as long as everything else that is done with it.
type validSlots struct {
	seed  maphash.Seed
	known map[uint64]bool
}

// mostValid bounds what is remembered, because a partner may make every slot different each time.
const mostValid = 5 * MostSlots

// validate returns the schema problems of a slot.
func (v *validSlots) validate(element json.RawMessage, value any) []schemas.Problem {
	if v.known == nil {
		v.seed, v.known = maphash.MakeSeed(), map[uint64]bool{}
	}
	text := maphash.Bytes(v.seed, element)
	if v.known[text] {
		return nil
	}
	problems := schemas.ValidateValue(schemas.Slot, value)
	if problems == nil && len(v.known) < mostValid {
		v.known[text] = true
	}
	return problems
}

func (r *reader) pull(ctx context.Context, purpose string, query url.Values, key probe.Key) (*probe.Answer, *partner.Stop) {
	answer, stop := r.calls.Call(ctx, partner.Products(purpose, query, key), true)
	if stop == nil && key == probe.GoodKey && len(query) == 0 {
		r.pulls.note(answer)
	}
	return answer, stop
}

// rejectsRun returns the stop if a partner refuses the key, or its server does not speak HTTP at all.
func (r *reader) rejectsRun(ctx context.Context, answer *probe.Answer) *partner.Stop {
	switch {
	case answer.NoHTTP && !r.calls.Client.SpeaksHTTP(ctx, answer.Limit):
		return partner.StopAt(partner.Unreachable, answer, "%s", answer.Failure.Message)
	case answer.HasStatus(http.StatusUnauthorized, http.StatusForbidden):
		return partner.StopAt(partner.KeyRefused, answer, "Expected 200 for the registered key, received %s", answer.Words())
	default:
		return nil
	}
}

// readCatalog reads an answer of GET /products. If see is not nil, it receives each schema problem
// of a product.
func (r *reader) readCatalog(ctx context.Context, answer *probe.Answer, see func(i int, product any, problem schemas.Problem)) (c Catalog) {
	c.Answer = answer
	switch {
	case answer.BrokeOff(http.StatusOK):
		c.Stop = partner.StopAt(partner.Unreadable, answer, "%s", answer.Failure.Message)
		return c
	case !answer.HasStatus(http.StatusOK):
		c.Stop = partner.StopAt(partner.WrongStatus, answer, "Expected 200, received %s", answer.Words())
		return c
	}
	elements, err := discover.Products(answer.Raw)
	if err != nil {
		c.Stop = unreadableStop(answer, err)
		return c
	}
	products := make([]discover.Product, 0, len(elements))
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		switch {
		case ctx.Err() != nil: // millions of wrong products take long
			c.Stop = r.calls.Time.StopCause()
			return c
		case err != nil:
			c.Stop = partner.StopAt(partner.Unreadable, answer, "products[%d]: %v", i, err)
			return c
		}
		products = append(products, discover.ReadProduct(value))
		if see == nil {
			continue
		}
		for _, problem := range append(schemas.CheckSize(schemas.Product, element), schemas.ValidateValue(schemas.Product, value)...) {
			c.Misfit = cmp.Or(c.Misfit, problem.WithPrefix(fmt.Sprintf("/products/%d", i)).String())
			see(i, value, problem)
		}
	}
	c.Products = products
	return c
}

// fullPull pulls the whole catalog.
func (r *reader) fullPull(ctx context.Context, purpose string) Catalog {
	answer, stop := r.pull(ctx, purpose, nil, probe.GoodKey)
	return r.readPull(ctx, answer, stop)
}

// readPull reads a pull whose schema problems are judged.
func (r *reader) readPull(ctx context.Context, answer *probe.Answer, stop *partner.Stop) Catalog {
	if stop != nil {
		return Catalog{Stop: stop}
	}
	return r.readCatalog(ctx, answer, func(i int, product any, problem schemas.Problem) {
		r.observer.Product(answer.Exchange, i, product, problem)
	})
}

// unreadableStop returns the stop for a body that is not JSON, or that has another shape than expected.
func unreadableStop(answer *probe.Answer, err error) *partner.Stop {
	if errors.Is(err, discover.ErrShape) {
		return partner.StopAt(partner.WrongShape, answer, "%v", err)
	}
	return partner.StopAt(partner.Unreadable, answer, "%v", err)
}

func (r *reader) ask(ctx context.Context, purpose string, q Question, key probe.Key) (*probe.Answer, *partner.Stop) {
	return r.calls.Call(ctx, partner.Availability(purpose, q.request(), key), true)
}

func (r *reader) askFor(ctx context.Context, purpose string, q Question) (SlotAnswer, *partner.Stop) {
	answer, stop := r.ask(ctx, purpose, q, probe.GoodKey)
	return r.readAsked(ctx, q, answer, stop)
}

func (r *reader) readAsked(ctx context.Context, q Question, answer *probe.Answer, stop *partner.Stop) (SlotAnswer, *partner.Stop) {
	if stop != nil {
		return SlotAnswer{}, stop
	}
	return r.readSlots(ctx, q, answer)
}

func (r *reader) readSlots(ctx context.Context, q Question, answer *probe.Answer) (SlotAnswer, *partner.Stop) {
	if answer.BrokeOff(http.StatusOK) {
		return SlotAnswer{}, partner.StopAt(partner.Unreadable, answer, "%s", answer.Failure.Message)
	}
	if !answer.HasStatus(http.StatusOK) {
		form := partner.Usual
		if answer.HasStatus(http.StatusNotFound) && r.filled {
			form = partner.NotFound // the endpoint exists and has nothing to show
		}
		return SlotAnswer{}, partner.StopAt(partner.WrongStatus, answer, "Expected 200 for %s from %s to %s, received %s", q, q.Window.From, q.Window.To, answer.Words()).WithForm(form)
	}
	elements, err := discover.Elements(answer.Raw)
	if err != nil {
		return SlotAnswer{}, unreadableStop(answer, err)
	}
	read := SlotAnswer{Question: q, Exchange: answer.Exchange}
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		switch {
		case ctx.Err() != nil:
			return SlotAnswer{}, r.calls.Time.StopCause()
		case err != nil:
			return SlotAnswer{}, partner.StopAt(partner.Unreadable, answer, "[%d]: %v", i, err)
		}
		for _, problem := range schemas.CheckSize(schemas.Slot, element) {
			problem.Message = fmt.Sprintf("[%d]: %s", i, problem.Message)
			r.observer.Answer(answer, problem)
		}
		slot := discover.ReadSlot(value)
		r.observer.Slot(read, i, slot, value, r.valid.validate(element, value))
		if len(read.Slots) < MostSlots {
			read.Slots = append(read.Slots, slot)
		}
	}
	r.observer.Slots(read)
	return read, nil
}

// ReadRecordedPull reads a catalog that another program has pulled.
func ReadRecordedPull(answer *probe.Answer, observer Observer) Catalog {
	return (&reader{observer: observer}).readPull(context.Background(), answer, nil)
}

// ReadRecordedSlots reads the answer to a question of another program. filled: an earlier answer was a list.
func ReadRecordedSlots(q Question, answer *probe.Answer, observer Observer, filled bool) (SlotAnswer, *partner.Stop) {
	return (&reader{observer: observer, filled: filled}).readSlots(context.Background(), q, answer)
}
