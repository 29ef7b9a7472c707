package traffic

import (
	"net/http"
	"net/url"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/schemas/partnerapi"
)

// call is a recorded call that another program made.
type call struct {
	*probe.Answer
	Segment  string     // the code or booking id in its path, still escaped
	Named    string     // the same, unescaped
	Query    url.Values // RawQuery, parsed as far as it is valid
	RawQuery string
	Body     []byte // of the request
	Key      string // value of its Authorization header; "" if the recording does not show it
	Keyless  bool   // it has no such header
	Unknown  bool   // the body of the request is not known
	Whole    bool   // Raw is the complete answer
	Bare     bool   // the recording has none of its headers
	Base     string // the address of the partner

	Asked    partnerapi.AvailabilityRequest // of a valid call to availability
	Reserved partnerapi.ReserveRequest      // of a valid reserve

	Form     partner.Form        // Probe, or Usual
	raced    partnerapi.Endpoint // of another call about the same hold that was in progress; "" if there was none
	marked   bool                // the recorder says that the request is invalid on purpose
	invalid  bool                // a marketplace does not send such a request
	noGuests bool                // it is a reserve for no guests, or for units that are not sold
}

// isProbe reports whether the call is the health probe.
func (c *call) isProbe() bool {
	return c.Endpoint == partnerapi.Products && len(c.Query) == 1 && c.Query.Get("limit") == "1"
}

// isCut reports whether the recording has only the beginning of a successful answer.
func (c *call) isCut() bool { return !c.Whole && c.HasStatus(http.StatusOK) }

// size returns how many bytes the bodies have.
func (c *call) size() int { return len(c.Body) + len(c.Raw) }

func callOf(x *recording.Exchange, number int, masker *anonymize.Masker) *call {
	limit, form := x.Endpoint.Timeout(partnerapi.Healthy), partner.Usual
	if x.Endpoint == partnerapi.Products && x.URL.Query().Has("limit") {
		limit, form = partnerapi.ProbeTimeout, partner.Probe
	}
	if x.Took == 0 { // it was not measured
		limit = 0
	}
	shown := *x.URL
	shown.User = nil
	c := &call{
		Answer: probe.Recorded{
			Number: number, Endpoint: x.Endpoint, Named: x.Named, Started: x.Started, Took: x.Took, Limit: limit, Method: x.Method, URL: shown.String(),
			Request: x.Header, Answer: x.AnswerHeader, Body: x.Body, Raw: x.Answer, Status: x.Status, Error: x.Error,
		}.ToAnswer(masker),
		Segment: x.Segment, Named: x.Named, Query: x.URL.Query(), RawQuery: x.URL.RawQuery, Body: x.Body, Unknown: x.BodyCut, Whole: !x.AnswerCut,
		Bare: x.Header == nil, Base: x.Base, Keyless: x.Header != nil && len(x.Header.Values("Authorization")) == 0 && !x.KeyUnknown, Form: form,
		marked: x.BadInput, invalid: x.BadInput,
	}
	if key := x.Header.Get("Authorization"); !strings.HasSuffix(key, probe.Redacted) {
		c.Key = key
	}
	return c
}

// subject returns the code or booking id that a call names.
func (c *call) subject() string {
	switch c.Endpoint {
	case partnerapi.Confirm:
		return confirmedCode(c)
	case partnerapi.Release, partnerapi.Cancel:
		return c.Named
	default:
		return ""
	}
}

// sharesSubject reports whether two calls may be about the same hold or booking.
func (c *call) sharesSubject(other *call) bool {
	one, two := c.subject(), other.subject()
	return one != "" && (one == two || other.isAnyConfirm()) || two != "" && c.isAnyConfirm()
}

// isAnyConfirm reports whether a call may be about any hold.
func (c *call) isAnyConfirm() bool { return c.Unknown && c.Endpoint == partnerapi.Confirm }

func confirmedCode(c *call) string {
	code, _ := discover.Object(c.Body)["reservationConfirmationCode"].(string)
	return code
}

// mayBeUnsold reports whether the answer may be one about an option that is not sold.
func (c *call) mayBeUnsold() bool {
	return c.Response.Status/100 == 4 && (c.Endpoint == partnerapi.Availability || !c.HasStatus(http.StatusBadRequest))
}
