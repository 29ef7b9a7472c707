package twin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// situation is a kind of calls that a partner answers alike, with the known calls of that kind.
type situation struct {
	about    string // a description
	endpoint partnerapi.Endpoint
	match    []string // members of a fault's match
	due      int      // the status that the mock answers with
	list     bool     // the answer is a list
	calls    []holdCall
}

// situations groups the calls, the most specific situations first.
func situations(s *tracker, h *history) (all []*situation) {
	byCase := map[platform.Case][]holdCall{}
	for _, m := range s.met {
		byCase[m.on] = append(byCase[m.on], m)
	}
	of := func(endpoint partnerapi.Endpoint, fits func(*call) bool) (met []holdCall) {
		for _, c := range h.callsTo(endpoint, fits) {
			met = append(met, holdCall{call: c})
		}
		return met
	}
	add := func(endpoint partnerapi.Endpoint, about string, due int, calls []holdCall, match ...string) {
		if len(calls) > 0 {
			all = append(all, &situation{about, endpoint, match, due, endpoint == partnerapi.Products || endpoint == partnerapi.Availability, calls})
		}
	}
	has := func(name string) func(*call) bool { return func(c *call) bool { return c.URL.Query().Has(name) } }
	changed := func(c *call) bool {
		_, err := partnerapi.ParseDateTime(c.URL.Query().Get("updated_since"))
		return err == nil
	}
	for _, key := range []credential{wrongKey, missingKey} {
		about := map[credential]string{wrongKey: "with a wrong key", missingKey: "without a key"}[key]
		with := "credential: " + string(key)
		probes := func(c *call) bool { return c.key == key && has("limit")(c) }
		add(partnerapi.Products, "a probe "+about, http.StatusUnauthorized, of(partnerapi.Products, probes), with, `query: {limit: "*"}`)
		add(partnerapi.Products, "a pull "+about, http.StatusUnauthorized, of(partnerapi.Products, func(c *call) bool { return c.key == key && !has("limit")(c) }), with)
		for _, endpoint := range partnerapi.Endpoints()[1:] {
			add(endpoint, string(endpoint)+" "+about, http.StatusUnauthorized, of(endpoint, func(c *call) bool { return c.key == key }), with)
		}
	}
	const good = "credential: good"
	add(partnerapi.Products, "a probe", 200, of(partnerapi.Products, func(c *call) bool { return c.hasGoodKey() && c.URL.RawQuery == "limit=1" }), good, `query: {limit: "*"}`)
	add(partnerapi.Products, "a pull of the changes", 200, of(partnerapi.Products, func(c *call) bool { return c.hasGoodKey() && changed(c) }), good, `query: {updated_since: "*"}`)
	add(partnerapi.Products, "a pull", 200, of(partnerapi.Products, func(c *call) bool { return c.hasGoodKey() && c.URL.RawQuery == "" }), good)
	add(partnerapi.Availability, "slots", 200, of(partnerapi.Availability, func(c *call) bool { return c.hasGoodKey() && lawfulBody(schemas.AvailabilityRequest, c) }), good)
	for _, one := range []struct {
		on    platform.Case
		about string
		due   int
		match string
	}{
		{platform.OnReserveSoldOut, "reserve of a sold-out slot", 400, "state: {slot: SOLD_OUT}"},
		{platform.OnReserveClosed, "reserve of a closed slot", 400, "state: {slot: CLOSED}"},
		{platform.OnReserve, "reserve", 200, ""},
		{platform.OnConfirmCancelled, "confirm of a cancelled booking's code", 400, "state: {hold: confirmed, booking: cancelled}"},
		{platform.OnConfirmAgain, "a second confirm", 200, "state: {hold: confirmed, booking: confirmed}"},
		{platform.OnConfirmReleased, "confirm of a released code", 400, "state: {hold: released}"},
		{platform.OnConfirmExpired, "confirm of an expired code", 400, "state: {hold: expired}"},
		{platform.OnConfirmUnknown, "confirm of an unknown code", 400, "state: {hold: unknown}"},
		{platform.OnConfirm, "confirm", 200, ""},
		{platform.OnReleaseCancelled, "release of a cancelled booking's code", 200, "state: {hold: confirmed, booking: cancelled}"},
		{platform.OnReleaseConfirmed, "release of a confirmed code", 200, "state: {hold: confirmed, booking: confirmed}"},
		{platform.OnReleaseAgain, "a second release", 200, "state: {hold: released}"},
		{platform.OnReleaseExpired, "release of an expired code", 200, "state: {hold: expired}"},
		{releaseUnknown, "release of an unknown code", 200, "state: {hold: unknown}"},
		{platform.OnRelease, "release", 200, "state: {hold: held}"},
		{platform.OnCancelAgain, "a second cancel", 200, "state: {booking: cancelled}"},
		{cancelUnknown, "cancel of an unknown booking", 200, "state: {booking: unknown}"},
		{platform.OnCancel, "cancel", 200, "state: {booking: confirmed}"},
	} {
		endpoint, _, _ := strings.Cut(string(one.on), "-")
		match := []string{good}
		if one.match != "" {
			match = append(match, one.match)
		}
		add(partnerapi.Endpoint(endpoint), one.about, one.due, byCase[one.on], match...)
	}
	return all
}

func lawfulBody(schema string, c *call) bool { return len(schemas.Validate(schema, c.Body)) == 0 }

// form is the form of an answer, without what differs between bookings.
type form struct {
	status int
	media  string // a media type, or "" for JSON
	kind   string // object, array, …
	fields string // jq statements for the answer's fields that differ from the mock's
}

// compare orders forms.
func (f form) compare(other form) int {
	return cmp.Or(f.status-other.status, strings.Compare(f.media, other.media), strings.Compare(f.kind, other.kind), strings.Compare(f.fields, other.fields))
}

func (l *learner) formOf(s *situation, m holdCall) form {
	f := form{status: m.Status, kind: kindOf(m.call)}
	if m.AnswerCut && m.succeeded2xx() { // the recording is cut, not the answer
		f.kind = map[bool]string{true: "array", false: "object"}[s.list]
	}
	media, _, err := mime.ParseMediaType(m.AnswerHeader.Get("Content-Type"))
	if media = strings.ToLower(media); err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		f.media = cmp.Or(media, "none")
	}
	if m.succeeded2xx() && s.due == http.StatusOK && f.kind == "object" && !m.AnswerCut {
		f.fields = strings.Join(l.changes(m), " | ")
	}
	if m.Status >= 400 { // any error body is lawful if the contract does not define one
		f.media = ""
		if f.kind = "other"; text(field(m.answer, "message")) != "" {
			f.kind = "message"
		}
	}
	return f
}

func kindOf(c *call) string {
	switch {
	case len(strings.TrimSpace(string(c.Answer))) == 0:
		return "nothing"
	case !c.json:
		return "text"
	}
	switch c.answer.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case nil:
		return "null"
	}
	return "value"
}

// changes lists, as jq, where an answer differs from the mock's.
func (l *learner) changes(m holdCall) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch m.endpoint {
	case partnerapi.Reserve:
		if change := kindChange("reservationConfirmationCode", m.answer, "text"); change != "" {
			say("%s", change)
		}
		if change := kindChange("expiresAt", m.answer, "text"); change != "" {
			say("%s", change)
		} else if shown := text(field(m.answer, "expiresAt")); shown != "" {
			at, err := partnerapi.ParseDateTime(shown)
			switch _, local := readTime(shown, time.UTC); {
			case err == nil && at.Before(clockOf(m.call)):
				say(`.expiresAt = "2020-01-01T00:00:00Z"`)
			case err != nil && local:
				say(`.expiresAt |= .[:19]`)
			case err != nil:
				say(`.expiresAt = "in a while"`)
			}
		}
	case partnerapi.Confirm:
		if change := kindChange("externalBookingId", m.answer, "text"); change != "" {
			say("%s", change)
		}
		switch shown := field(m.answer, "status").(type) {
		case string:
			if shown != partnerapi.StatusConfirmed {
				say(".status = %s", quote(l.word(shown, "OTHER")))
			}
		default:
			say("%s", kindChange("status", m.answer, "text"))
		}
		for _, name := range []string{"uuid", "productId", "optionId", "availabilityId"} {
			if change := kindChange(name, m.answer, "text"); change != "" && field(m.answer, name) != nil {
				say("%s", change)
			}
		}
		if asked := text(field(m.answer, "availabilityId")); asked != "" && m.product != "" && asked != m.slotID {
			say(`.availabilityId = "another"`)
		}
		switch contact := field(m.answer, "contact").(type) {
		case nil:
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(contact)) {
				if change := kindChange(name, contact, "text"); change != "" && contact[name] != nil && slices.Contains([]string{"fullName", "emailAddress", "phoneNumber"}, name) {
					say(".contact |= (%s)", change)
				}
			}
		default:
			say("%s", kindChange("contact", m.answer, "object"))
		}
		if tickets, shown := field(m.answer, "tickets"), field(m.answer, "tickets") != nil; shown {
			if text, err := json.Marshal(l.ticket(tickets)); err == nil && string(text) != ownTickets {
				all = append([]string{".tickets = " + filled.Replace(string(text))}, all...)
			}
		}
	case partnerapi.Release, partnerapi.Cancel:
		if field(m.answer, "success") != true {
			say("%s", kindChange("success", m.answer, "true"))
		}
		if given := field(m.answer, "message"); given != nil {
			if _, isText := given.(string); !isText {
				say("%s", kindChange("message", m.answer, "text"))
			}
		}
	}
	return slices.DeleteFunc(all, func(change string) bool { return change == "" })
}

// kindChange returns the jq that gives a field the kind that it has in an answer, or "" if that is
// the usual kind.
func kindChange(name string, answer any, usual string) string {
	object, _ := answer.(map[string]any)
	value, there := object[name]
	kind, as := "text", `"yes"`
	switch value := value.(type) {
	case nil:
		if kind, as = "null", "null"; !there {
			return "del(." + name + ")"
		}
	case bool:
		kind = fmt.Sprint(value)
		as = kind
	case json.Number:
		kind, as = "number", "4711"
	case string:
		if value == "" {
			kind, as = "empty", `""`
		}
	case []any:
		kind, as = "array", "[]"
	case map[string]any:
		kind, as = "object", "{}"
	}
	if kind == usual {
		return ""
	}
	return "." + name + " = " + as
}

// words matches texts that can name a kind of thing, but not a person.
var words = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{0,29}$`)

func (l *learner) word(given, otherwise string) string {
	if words.MatchString(given) && l.secrets.redactText(given) == given {
		return given
	}
	return otherwise
}

const (
	barcode  = "a barcode"
	document = "a document"
	// ownTickets are the mock's tickets with their values replaced.
	ownTickets = `[{"deliveryOptions":[{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"` + barcode + `"},{"deliveryFormat":"PDF_URL","deliveryMethod":"VOUCHER","deliveryValue":"` + document + `"}],"redemptionMethod":"DIGITAL"}]`
)

// codeFormats are the delivery formats of the contract with digits in their names, so that they are no
// words.
var codeFormats = []string{"CODE128", "EAN13"}

// filled replaces the placeholders in tickets by jq for the values, which differ between bookings.
var filled = strings.NewReplacer(`"`+barcode+`"`, `("ticket-" + .uuid)`, `"`+document+`"`, `("https://tickets.example/" + .uuid + ".pdf")`)

// ticket returns tickets with their values replaced.
func (l *learner) ticket(value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, one := range value[:min(len(value), 3)] {
			list = append(list, l.ticket(one))
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, inner := range value {
			shown, isText := inner.(string)
			switch {
			case !slices.Contains([]string{"redemptionMethod", "deliveryOptions", "deliveryFormat", "deliveryMethod", "deliveryValue"}, name):
			case !isText:
				object[name] = l.ticket(inner)
			case name == "deliveryValue" && strings.Contains(shown, "://"):
				object[name] = document
			case name == "deliveryValue" && shown != "":
				object[name] = barcode
			case shown == "", name == "deliveryFormat" && slices.Contains(codeFormats, shown):
				object[name] = shown
			default:
				object[name] = l.word(shown, "OTHER")
			}
		}
		return object
	case json.Number:
		return json.Number("4711")
	case string:
		return "OTHER"
	}
	return value
}
