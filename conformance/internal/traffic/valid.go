package traffic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// checkRequest decides whether a call is one that a marketplace sends, and blames the caller for one that is not. Its
// answer breaks no MUST rule (GEN-8). It keeps what a valid body asks for. catalog is what is sold.
func (a *caller) checkRequest(c *call, catalog *sold) {
	switch {
	case c.Endpoint == partnerapi.Products:
		if len(c.Query) > 0 && !c.isProbe() {
			a.fits(c, callerrules.ProductsForm, callerrules.ProductsQuery(c.RawQuery))
		}
		return
	case c.Endpoint == partnerapi.Release || c.Endpoint == partnerapi.Cancel:
		a.fits(c, callerrules.Escaped, callerrules.Segment(c.Segment, c.Named))
	}
	if c.Unknown || !a.isJSON(c) || len(c.Body) == 0 && c.Named != "" {
		return
	}
	switch c.Endpoint {
	case partnerapi.Availability:
		if a.asksForSlots(c) {
			a.checkParty(c, catalog, c.Asked.ProductID, c.Asked.OptionID, c.Asked.Units)
			a.checkDays(c)
		}
	case partnerapi.Reserve:
		if a.asks(c, schemas.ReserveRequest, &c.Reserved) {
			a.checkParty(c, catalog, c.Reserved.ProductID, c.Reserved.OptionID, c.Reserved.Units)
		}
	case partnerapi.Confirm:
		a.asks(c, schemas.ConfirmRequest, &partnerapi.ConfirmRequest{})
	case partnerapi.Release:
		body := partnerapi.ReleaseRequest{}
		if a.asks(c, schemas.ReleaseRequest, &body) && body.ReservationConfirmationCode != c.Named {
			a.blame(c, callerrules.ReleaseBody, "The path names %.60q, the body %.60q", c.Named, body.ReservationConfirmationCode)
		}
	case partnerapi.Cancel:
		a.asks(c, schemas.CancelRequest, &partnerapi.CancelRequest{})
	}
}

// checkParty blames the caller for units that the option does not have, and for a unit that is named more than once.
func (a *caller) checkParty(c *call, catalog *sold, productID, optionID string, units []partnerapi.UnitQuantity) {
	q, known := catalog.question(partnerapi.AvailabilityRequest{ProductID: productID, OptionID: optionID})
	known = known && catalog.isCurrent(c)
	seen := map[string]bool{}
	for _, u := range units {
		sold := slices.ContainsFunc(q.Option.Units, func(of discover.Unit) bool { return of.ID == u.ID })
		switch {
		case seen[u.ID]:
			a.blame(c, callerrules.Units, "The unit %.60q is named more than once", u.ID)
			return
		case known && !sold:
			c.noGuests = c.Endpoint == partnerapi.Reserve
			a.blame(c, callerrules.Units, "The option %.60q has no unit %.60q", optionID, u.ID)
			return
		}
		seen[u.ID] = true
	}
}

// checkDays blames the caller for a window that has days which the contract leaves out: a partner may refuse it. The
// zone of the product may be unknown, so today may be a day later or earlier.
func (a *caller) checkDays(c *call) {
	first, _ := callerrules.Lookahead(c.PartnerTime().UTC().AddDate(0, 0, -1))
	_, last := callerrules.Lookahead(c.PartnerTime().UTC().AddDate(0, 0, 1))
	from, to := c.Asked.LocalDateStart, c.Asked.LocalDateEnd
	if from > to || from < first || to > last {
		a.blame(c, callerrules.Window, outsideWindow, from, to)
	}
}

// isJSON reports whether a call has no body, or sends it as JSON, as far as its headers are known.
func (a *caller) isJSON(c *call) bool {
	return len(c.Body) == 0 || c.Bare || a.fits(c, callerrules.BodyType, callerrules.ContentType(c.Endpoint, c.Request.Header))
}

// mostQuestions is the maximum number of questions for slots that are remembered, and longestQuestion that of the bytes
// of each.
const mostQuestions, longestQuestion = 1000, 1000

// asksForSlots is asks for availability. A marketplace asks the same again and again, so what was valid is remembered.
func (a *caller) asksForSlots(c *call) bool {
	if known, is := a.questions[string(c.Body)]; is {
		c.Asked = known
		return true
	}
	if !a.asks(c, schemas.AvailabilityRequest, &c.Asked) {
		return false
	}
	if len(c.Body) <= longestQuestion {
		if len(a.questions) == mostQuestions {
			clear(a.questions)
		}
		a.questions[string(c.Body)] = c.Asked
	}
	return true
}

// asks reports whether the body of a call matches its schema and has only texts that a marketplace sends, and decodes it.
func (a *caller) asks(c *call, schema string, into any) bool {
	problems := schemas.Decode(schema, c.Body, into)
	if len(problems) == 0 {
		strange := strangeBody(c.Body)
		if strange != "" {
			a.blame(c, callerrules.BodySchema, "The body of %s has %s", c.Endpoint, strange)
		}
		return strange == ""
	}
	c.noGuests = c.Endpoint == partnerapi.Reserve && strings.HasPrefix(problems[0].Pointer, "/units")
	message := problems[0].String()
	if strings.HasPrefix(problems[0].Pointer, "/contact") { // the received value is a customer's data
		message, _, _ = strings.Cut(message, ", received")
	}
	a.blame(c, callerrules.BodySchema, "The body of %s breaks its schema: %s", c.Endpoint, message)
	return false
}

// longestText is the maximum number of bytes of a text in a request that a marketplace sends.
const longestText = 10_000

// strangeBody returns what a valid body has that no marketplace sends, or "".
func strangeBody(body []byte) string {
	if !jsontext.Value(body).IsValid() {
		return "a name twice, or half a character"
	}
	strange := ""
	for decoder := jsontext.NewDecoder(bytes.NewReader(body)); strange == ""; {
		token, err := decoder.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() != '"' {
			continue
		}
		switch text := token.String(); {
		case len(text) > longestText:
			strange = fmt.Sprintf("a text of %d bytes", len(text))
		case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }):
			strange = "a text with a control character"
		}
	}
	return strange
}
