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
// answer breaks no MUST rule (GEN-8). It keeps what a valid body asks for.
func (j *Judge) checkRequest(c *call) {
	switch {
	case c.Endpoint == partnerapi.Products:
		if len(c.Query) > 0 && !c.isProbe() {
			j.caller.fits(c, callerrules.ProductsForm, callerrules.ProductsQuery(c.RawQuery))
		}
		return
	case c.Endpoint == partnerapi.Release || c.Endpoint == partnerapi.Cancel:
		j.caller.namesSubject(c)
	}
	if c.Unknown || !j.caller.isJSON(c) || len(c.Body) == 0 && c.Named != "" {
		return
	}
	switch c.Endpoint {
	case partnerapi.Availability:
		if j.caller.asks(c, schemas.AvailabilityRequest, &c.Asked) {
			j.checkParty(c, c.Asked.ProductID, c.Asked.OptionID, c.Asked.Units)
			j.caller.checkDays(c)
		}
	case partnerapi.Reserve:
		if j.caller.asks(c, schemas.ReserveRequest, &c.Reserved) {
			j.checkParty(c, c.Reserved.ProductID, c.Reserved.OptionID, c.Reserved.Units)
		}
	case partnerapi.Confirm:
		j.caller.asks(c, schemas.ConfirmRequest, &partnerapi.ConfirmRequest{})
	case partnerapi.Release:
		body := partnerapi.ReleaseRequest{}
		if j.caller.asks(c, schemas.ReleaseRequest, &body) && body.ReservationConfirmationCode != c.Named {
			j.caller.blame(c, callerrules.ReleaseBody, "The path names %.60q, the body %.60q", c.Named, body.ReservationConfirmationCode)
		}
	case partnerapi.Cancel:
		j.caller.asks(c, schemas.CancelRequest, &partnerapi.CancelRequest{})
	}
}

// checkParty blames the caller for units that the option does not have, and for a unit that is named more than once.
func (j *Judge) checkParty(c *call, productID, optionID string, units []partnerapi.UnitQuantity) {
	q, known := j.sold.question(partnerapi.AvailabilityRequest{ProductID: productID, OptionID: optionID})
	known = known && j.sold.isCurrent(c)
	seen := map[string]bool{}
	for _, u := range units {
		sold := slices.ContainsFunc(q.Option.Units, func(of discover.Unit) bool { return of.ID == u.ID })
		switch {
		case seen[u.ID]:
			j.caller.blame(c, callerrules.Units, "The unit %.60q is named more than once", u.ID)
			return
		case known && !sold:
			c.noGuests = c.Endpoint == partnerapi.Reserve
			j.caller.blame(c, callerrules.Units, "The option %.60q has no unit %.60q", optionID, u.ID)
			return
		}
		seen[u.ID] = true
	}
}

// checkDays blames the caller for a window that has days which the contract leaves out: a partner may refuse it. The
// zone of the product may be unknown, so today may be a day later or earlier.
func (a *caller) checkDays(c *call) {
	first, _ := callerrules.Lookahead(c.partnerTime().UTC().AddDate(0, 0, -1))
	_, last := callerrules.Lookahead(c.partnerTime().UTC().AddDate(0, 0, 1))
	from, to := c.Asked.LocalDateStart, c.Asked.LocalDateEnd
	if from > to || from < first || to > last {
		a.blame(c, callerrules.Window, outsideWindow, from, to)
	}
}

const outsideWindow = "The window is %.20s to %.20s: expected today and the 60 days after it, or one of these days"

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
