package script

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/jq"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// subject is what a request concerns. Most of it is looked up only when a fault needs it.
type subject struct {
	request  *http.Request
	body     []byte
	platform *platform.Platform
	presents func(*http.Request, Credential) bool
	traffic  *traffic
	Operation

	queried url.Values
	parsed  *document // nil until the body is parsed as JSON
	found   *namedObjects
}

type document struct {
	value any
	ok    bool
}

// namedObjects are the ids that a request names, and the ids that follow from those.
type namedObjects struct {
	productID, optionID, slotID string
	code, bookingID             string
}

func (s *subject) bears(wanted Credential) bool {
	missing := len(s.request.Header.Values("Authorization")) == 0
	switch wanted {
	case CredentialMissing:
		return missing
	case CredentialWrong:
		return !missing && !s.presents(s.request, CredentialGood)
	default:
		return !missing && s.presents(s.request, wanted)
	}
}

// ofProduct reports whether the request concerns the product: an id, first or last.
func (s *subject) ofProduct(wanted string) bool {
	products := s.platform.Catalog().Products
	switch {
	case wanted == platform.First && len(products) > 0:
		wanted = products[0].ID
	case wanted == platform.Last && len(products) > 0:
		wanted = products[len(products)-1].ID
	}
	return s.things().productID == wanted
}

// ofOption reports whether the request concerns the option: an id, first or last.
func (s *subject) ofOption(wanted string) bool {
	if product, ok := s.platform.Catalog().Product(s.things().productID); ok {
		switch wanted {
		case platform.First:
			wanted = product.Options[0].ID
		case platform.Last:
			wanted = product.Options[len(product.Options)-1].ID
		}
	}
	return s.things().optionID == wanted
}

// variables returns the values that a jq program receives with its input, for the n-th match.
func (s *subject) variables(n int) []any {
	body, _ := s.json()
	request := map[string]any{"method": s.request.Method, "path": s.request.URL.Path, "query": firstValues(s), "body": body}
	return []any{request, n, s.platform.Now().UTC().Format(time.RFC3339)}
}

func (s *subject) query() url.Values {
	if s.queried == nil {
		s.queried = s.request.URL.Query() // an invalid query matches nothing
	}
	return s.queried
}

func (s *subject) json() (any, bool) {
	if s.parsed == nil {
		value, err := jq.Decode(s.body)
		s.parsed = &document{value, err == nil}
	}
	return s.parsed.value, s.parsed.ok
}

// things returns the ids, including the slot and booking of a code.
func (s *subject) things() namedObjects {
	if s.found == nil {
		named := s.namedIDs()
		s.follow(&named)
		s.found = &named
	}
	return *s.found
}

// namedIDs returns the ids in the request itself.
func (s *subject) namedIDs() namedObjects {
	t := namedObjects{code: s.Code, bookingID: s.BookingID}
	switch {
	case s.Endpoint == partnerapi.Availability, s.Endpoint == partnerapi.Reserve:
		body, _ := s.json()
		t.productID, t.optionID, t.slotID = field(body, "productId"), field(body, "optionId"), field(body, "availabilityId")
	case s.Endpoint == partnerapi.Confirm && s.Code == "":
		body, _ := s.json()
		t.code = field(body, "reservationConfirmationCode")
	}
	return t
}

func field(body any, name string) string {
	object, _ := body.(map[string]any)
	text, _ := object[name].(string)
	return text
}

// follow adds the ids that the platform knows for a code or booking id.
func (s *subject) follow(t *namedObjects) {
	if t.bookingID != "" {
		if booking, ok := s.platform.FindBooking(t.bookingID); ok {
			t.code = booking.Code
		}
	}
	if t.code == "" {
		return
	}
	if hold, ok := s.platform.FindHold(t.code); ok {
		t.productID, t.optionID, t.slotID = hold.ProductID, hold.OptionID, hold.AvailabilityID
		t.bookingID = hold.BookingID
	}
}

// key returns the value that a fault counts the request by. It returns false if the request has no
// such value.
func (s *subject) key(k Key) (string, bool) {
	switch k {
	case KeySlot:
		t := s.things()
		return t.productID + "\x00" + t.optionID + "\x00" + t.slotID, t.slotID != ""
	case KeyHold:
		code := s.things().code
		return code, code != ""
	case KeyBooking:
		id := s.things().bookingID
		return id, id != ""
	case KeyConnection:
		return connectionOf(s.request), true
	case KeyCaller:
		host, _, _ := net.SplitHostPort(s.request.RemoteAddr)
		return host + "\x00" + s.request.UserAgent(), true
	default:
		return "", true
	}
}

// connectionOf identifies a request's connection. The caller's address is not enough, because
// another connection can reuse a recently closed port. The server's address is: net/http creates a
// new value for each connection.
func connectionOf(r *http.Request) string {
	accepted, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return fmt.Sprintf("%s %p", r.RemoteAddr, accepted)
}

func (s *subject) slotState() string {
	t := s.things()
	if t.slotID == "" {
		return ""
	}
	if slot, err := s.platform.Slot(t.productID, t.optionID, t.slotID); err == nil {
		return string(slot.Status)
	}
	return unknown
}

func (s *subject) holdState() string {
	code := s.things().code
	if code == "" {
		return ""
	}
	if hold, ok := s.platform.FindHold(code); ok {
		return strings.ToLower(string(hold.State))
	}
	return unknown
}

func (s *subject) bookingState() string {
	id := s.things().bookingID
	if id == "" {
		return ""
	}
	if booking, ok := s.platform.FindBooking(id); ok {
		return strings.ToLower(string(booking.State))
	}
	return unknown
}
