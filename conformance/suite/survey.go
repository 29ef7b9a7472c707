package suite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas"
)

const (
	// mostOptions bounds the options whose slots are fetched: a sample, spread
	// evenly, of a larger catalog.
	mostOptions = 240
	// askers is how many availability calls are under way at once; the
	// marketplace itself makes up to eight.
	askers = 4
	// surveyShare of the run's time may go into fetching slots.
	surveyShare = 0.4
	// mostSlots bounds the slots of an answer that are tested with, and those
	// after which no further option is asked: every five minutes for 60 days
	// are 17,280. All that arrive are judged.
	mostSlots, mostSlotsInAll = 20_000, 200_000
)

// survey is what the catalog and the slots look like before anything is booked.
type survey struct {
	stopped  *obstacle // why there is no catalog; nil where there is one
	pull     *probe.Exchange
	products []discover.Product
	second   secondPull

	answers      []slotAnswer
	slotsStopped *obstacle // the first availability call that brought no slots
	offers       []discover.Offer
	slots        int // fetched
}

// slotAnswer is one readable answer of POST /availability.
type slotAnswer struct {
	product  discover.Product
	option   discover.Option
	window   discover.Window
	slots    []discover.Slot
	exchange *probe.Exchange
}

// surveyed returns the survey, which the first caller makes.
func (s *session) surveyed(ctx context.Context) *survey {
	if s.survey == nil {
		s.survey = &survey{}
		s.survey.stopped = s.fetchCatalog(ctx)
		if s.survey.stopped == nil {
			s.fetchSlots(ctx)
		}
	}
	return s.survey
}

// fetchCatalog pulls the catalog for the first time. What goes wrong here is
// the one finding of the run.
func (s *session) fetchCatalog(ctx context.Context) *obstacle {
	if err := s.clock.read(ctx); err != nil {
		s.clock.address = "" // expiry is not judged, the rest is
		s.clockTrouble = err
	}
	answer, o := s.products(ctx, "first pull of the catalog", nil, probe.GoodKey)
	if o != nil {
		return o
	}
	s.survey.pull = answer.Exchange
	if answer.Failure != nil {
		switch answer.Failure.Kind {
		case probe.Refused, probe.Unresolved, probe.TLS:
			return breach(rule.Reachable, answer, "%s", answer.Failure.Message)
		}
	} else if status := answer.Response.Status; status == http.StatusUnauthorized || status == http.StatusForbidden {
		return breach(rule.KeyAccepted, answer, "want 200 for the registered key, got %s", got(answer))
	}
	note := func(i int, product any) {
		for _, problem := range schemas.ValidateValue(schemas.Product, product) {
			placed := problem.Under(fmt.Sprintf("/products/%d", i))
			s.findings.add(owner(productFields, problem), placed.String(), answer.Exchange, product, problem.Pointer, s.redact)
		}
	}
	if s.survey.products, o = s.readCatalog(ctx, answer, note); o == nil {
		s.survey.second = s.pullAgain(ctx)
	}
	return o
}

// secondPull is another pull of the catalog, which shows what is permanent.
type secondPull struct {
	products []discover.Product
	options  map[string]bool // the ids of product and option
	exchange *probe.Exchange
	stopped  *obstacle
}

func (s *session) pullAgain(ctx context.Context) (second secondPull) {
	answer, o := s.products(ctx, "second pull of the catalog", nil, probe.GoodKey)
	if second.stopped = o; o != nil {
		return second
	}
	second.exchange = answer.Exchange
	second.products, second.stopped = s.readCatalog(ctx, answer, nil)
	second.options = map[string]bool{}
	for _, product := range second.products {
		for _, id := range optionIDs(product) {
			second.options[product.ID+"\x00"+id] = true
		}
	}
	return second
}

// readCatalog reads an answer of GET /products and shows judge, where it is not
// nil, each decoded product.
func (s *session) readCatalog(ctx context.Context, answer *probe.Answer, judge func(i int, product any)) ([]discover.Product, *obstacle) {
	switch {
	case answer.BrokeOff(http.StatusOK):
		return nil, breach(rule.ProductsJSON, answer, "%s", answer.Failure.Message)
	case !answer.OK(http.StatusOK):
		return nil, breach(rule.ProductsStatus, answer, "want 200, got %s", got(answer))
	}
	elements, err := discover.Products(answer.Raw)
	if err != nil {
		if errors.Is(err, discover.ErrShape) {
			return nil, breach(rule.ProductsShape, answer, "%v", err)
		}
		return nil, breach(rule.ProductsJSON, answer, "%v", err)
	}
	products := make([]discover.Product, 0, len(elements))
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		switch {
		case ctx.Err() != nil: // millions of wrong products take their time
			return nil, s.outOfTime()
		case err != nil:
			return nil, breach(rule.ProductsJSON, answer, "products[%d]: %v", i, err)
		}
		products = append(products, discover.ReadProduct(value))
		if judge != nil {
			judge(i, value)
		}
	}
	return products, nil
}

// asked is an availability call that was made, or could not be.
type asked struct {
	product discover.Product
	option  discover.Option
	window  discover.Window
	answer  *probe.Answer
	stopped *obstacle
}

// fetchSlots asks for the slots of every option, several at a time.
func (s *session) fetchSlots(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(surveyShare*float64(s.config.MaxDuration)))
	defer cancel()
	questioned := s.asksFor(s.survey.askable())
	questions, answers := make(chan asked), make(chan asked)
	var running sync.WaitGroup
	for range askers {
		running.Go(func() {
			for question := range questions {
				question.window, _ = s.config.Bounds.window(s.now(), question.product.Zone)
				question.answer, question.stopped = s.availability(ctx, "slots of the next 60 days", question.product, question.option, question.window, probe.GoodKey)
				answers <- question
			}
		})
	}
	go func() {
		for _, question := range spread(questioned, mostOptions) {
			questions <- question
		}
		close(questions)
		running.Wait()
		close(answers)
	}()
	var found []slotAnswer
	var unread []asked
	kept := 0
	for answered := range answers {
		read, o := s.readSlots(ctx, answered)
		switch {
		case o == nil:
			found = append(found, read)
		case ctx.Err() == nil:
			unread = append(unread, answered)
		}
		if kept += len(read.slots); kept > mostSlotsInAll {
			cancel()
		}
	}
	s.survey.take(found)
	for _, answered := range unread {
		// Read once more: whether a 404 means an empty window shows only beside
		// the other answers.
		if _, o := s.readSlots(ctx, answered); s.survey.slotsStopped == nil {
			s.survey.slotsStopped = o
		}
	}
}

// askable lists the options that can be asked for slots, in the catalog's
// order. Where ids are missing, change, or are not those of their guest types,
// which is judged by rules of its own, an answer would prove nothing.
func (v *survey) askable() []asked {
	var all []asked
	for _, product := range v.products {
		for _, option := range product.Options {
			if product.ID != "" && option.ID != "" && option.Lead() != "" && option.FixedIDs() && v.second.shows(product, option) {
				all = append(all, asked{product: product, option: option})
			}
		}
	}
	return all
}

// shows reports whether the second pull, where there is one, has the option.
func (p secondPull) shows(product discover.Product, option discover.Option) bool {
	return p.stopped != nil || p.options[product.ID+"\x00"+option.ID]
}

// spread returns at most n elements of all, evenly spread, the last among them.
// The last comes first: when time runs out, the ends have been seen.
func spread[T any](all []T, n int) []T {
	if len(all) == 0 || n < 1 {
		return nil
	}
	n = min(n, len(all))
	chosen := []T{all[len(all)-1]}
	for i := range n - 1 {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

// take stores the answers in the catalog's order, and the offers in them.
func (v *survey) take(found []slotAnswer) {
	byOption := map[string]slotAnswer{}
	for _, answer := range found {
		byOption[answer.product.ID+"\x00"+answer.option.ID] = answer
	}
	for _, question := range v.askable() {
		key := question.product.ID + "\x00" + question.option.ID
		answer, ok := byOption[key]
		if !ok {
			continue
		}
		delete(byOption, key) // an id that stands twice is judged by its own rule
		v.answers = append(v.answers, answer)
		v.slots += len(answer.slots)
		for _, slot := range answer.slots {
			v.offers = append(v.offers, discover.Offer{Product: answer.product, Option: answer.option, Slot: slot})
		}
	}
}

// readSlots reads an answer of POST /availability, and adds the findings
// against its fields and its slots.
func (s *session) readSlots(ctx context.Context, question asked) (slotAnswer, *obstacle) {
	answer := question.answer
	if question.stopped != nil {
		return slotAnswer{}, question.stopped
	}
	if answer.BrokeOff(http.StatusOK) {
		return slotAnswer{}, breach(rule.AvailabilityJSON, answer, "%s", answer.Failure.Message)
	}
	if !answer.OK(http.StatusOK) {
		r := rule.AvailabilityStatus
		if answer.OK(http.StatusNotFound) && len(s.survey.answers) > 0 {
			r = rule.EmptyWindow // the endpoint is there, and has nothing to show
		}
		return slotAnswer{}, breach(r, answer, "want 200 for %s from %s to %s, got %s",
			name(question), question.window.From, question.window.To, got(answer))
	}
	elements, err := discover.Elements(answer.Raw)
	switch {
	case errors.Is(err, discover.ErrShape):
		return slotAnswer{}, breach(rule.AvailabilityShape, answer, "%v", err)
	case err != nil:
		return slotAnswer{}, breach(rule.AvailabilityJSON, answer, "%v", err)
	}
	read := slotAnswer{product: question.product, option: question.option, window: question.window, exchange: answer.Exchange}
	for i, element := range elements {
		value, err := discover.DecodeElement(element)
		switch {
		case ctx.Err() != nil:
			return slotAnswer{}, s.outOfTime()
		case err != nil:
			return slotAnswer{}, breach(rule.AvailabilityJSON, answer, "[%d]: %v", i, err)
		}
		for _, problem := range schemas.ValidateValue(schemas.Slot, value) {
			placed := problem.Under(fmt.Sprintf("/%d", i))
			s.findings.add(owner(slotFields, problem), "slots of "+name(question)+": "+placed.String(), answer.Exchange, value, problem.Pointer, s.redact)
		}
		slot := discover.ReadSlot(value)
		s.judgeSlot(read, i, slot, value)
		if len(read.slots) < mostSlots {
			read.slots = append(read.slots, slot)
		}
	}
	s.judgeSlots(read)
	return read, nil
}

// name says which option was asked.
func name(question asked) string {
	return fmt.Sprintf("product %q, option %q", question.product.ID, question.option.ID)
}

// redact removes the partner's key from text.
func (s *session) redact(text string) string { return s.client.Redactor().Redact(text) }
