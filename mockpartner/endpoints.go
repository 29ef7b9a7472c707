package mockpartner

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 1 << 20

// call is one call of a partner endpoint.
type call struct {
	sandbox *sandbox.Sandbox
	entry   journal.Entry
}

// request is one request to an endpoint, with the call that it belongs to.
type request struct {
	*call
	*http.Request
	w http.ResponseWriter
}

func products(r request) (any, error) {
	filter, err := filterOf(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	return r.business().Listing(filter)
}

func filterOf(rawQuery string) (filter catalog.Filter, err error) {
	if rawQuery == "" {
		return filter, nil
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return filter, reply.Refuse(http.StatusBadRequest, "the query has invalid escapes: %v", err)
	}
	if query.Has("limit") {
		if filter.Limit, err = strconv.Atoi(query.Get("limit")); err != nil || filter.Limit < 1 {
			return filter, reply.Refuse(http.StatusBadRequest, "limit: expected a number of products of at least 1, received %q", query.Get("limit"))
		}
	}
	if query.Has("updated_since") {
		// A plus sign that was not escaped has become a space.
		if filter.UpdatedSince, err = partnerapi.ParseDateTime(query.Get("updated_since")); err != nil {
			return filter, reply.Refuse(http.StatusBadRequest, "updated_since: %v; escape a + as %%2B", err)
		}
	}
	return filter, nil
}

func availability(r request) (any, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	if known, ok := r.sandbox.Answers().Get(body); ok {
		return known, nil
	}
	asked, err := decode[partnerapi.AvailabilityRequest](schemas.AvailabilityRequest, body)
	if err != nil {
		return nil, err
	}
	window, err := r.business().Availability(asked)
	if err != nil {
		return nil, err
	}
	answer, err := reply.Marshal(window.Slots)
	if err == nil {
		r.sandbox.Answers().Put(body, answer, window.Stamp)
	}
	return answer, err
}

func (c *call) business() *platform.Platform { return c.sandbox.Platform() }

func reserve(r request) (any, error) {
	wanted, err := read[partnerapi.ReserveRequest](r, schemas.ReserveRequest, required)
	if err != nil {
		return nil, err
	}
	hold, err := r.business().Reserve(wanted, r.entry.RecordTouched)
	if err != nil {
		return nil, err
	}
	return partnerapi.ReserveAnswer{
		ReservationConfirmationCode: hold.Code,
		ExpiresAt:                   partnerapi.FormatDateTime(hold.ExpiresAt),
	}, nil
}

func confirm(r request) (any, error) {
	wanted, err := read[partnerapi.ConfirmRequest](r, schemas.ConfirmRequest, required)
	if err != nil {
		return nil, err
	}
	booking, err := r.business().Confirm(wanted, r.entry.RecordTouched)
	return confirmAnswer(booking), err
}

func release(r request) (any, error) {
	code, err := reply.Segment(r.Request, "reservationCode")
	if err != nil {
		return nil, err
	}
	wanted, err := read[partnerapi.ReleaseRequest](r, schemas.ReleaseRequest, optional)
	if err != nil {
		return nil, err
	}
	// The path and the body name different codes. Releasing either could release the wrong hold.
	if named := wanted.ReservationConfirmationCode; named != "" && named != code {
		return nil, reply.Refuse(http.StatusBadRequest, "reservationConfirmationCode: the body names %q, the path %q", named, code)
	}
	return done(r.business().Release(code, r.entry.RecordTouched))
}

func cancel(r request) (any, error) {
	if r.business().Conduct().Policy.NoCancel {
		return nil, reply.Refuse(http.StatusNotFound, "this partner does not support cancellations")
	}
	id, err := reply.Segment(r.Request, "externalBookingId")
	if err != nil {
		return nil, err
	}
	if _, err := read[partnerapi.CancelRequest](r, schemas.CancelRequest, optional); err != nil {
		return nil, err
	}
	return done(r.business().Cancel(id, r.entry.RecordTouched))
}

func done(outcome platform.Outcome) (any, error) {
	return partnerapi.Done{Success: true, Message: string(outcome)}, nil
}

func (r request) body() ([]byte, error) {
	body, err := reply.ReadBody(r.w, r.Request, maxBody)
	if kind := r.Header.Get("Content-Type"); len(body) > 0 && kind != "" && !isJSON(kind) {
		return nil, reply.Refuse(http.StatusUnsupportedMediaType, "expected a body of Content-Type application/json, received %q", kind)
	}
	return body, err
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// These constants say whether a request must have a body.
const (
	required = true
	optional = false
)

func read[T any](r request, schema string, must bool) (value T, err error) {
	body, err := r.body()
	if err != nil || len(body) == 0 && !must {
		return value, err
	}
	return decode[T](schema, body)
}

func decode[T any](schema string, body []byte) (value T, err error) {
	if problems := schemas.Decode(schema, body, &value); len(problems) > 0 {
		return value, reply.Refuse(http.StatusBadRequest, "%s", sentence(problems))
	}
	return value, nil
}

const maxProblems = 5

func sentence(problems []schemas.Problem) string {
	var words []string
	for _, problem := range problems[:min(len(problems), maxProblems)] {
		words = append(words, problem.String())
	}
	return strings.Join(words, "; ")
}

func statusOf(err error) int {
	if stated := (*reply.Refusal)(nil); errors.As(err, &stated) {
		return stated.Status
	}
	switch refusal := (*platform.Refusal)(nil); {
	case !errors.As(err, &refusal):
		return http.StatusInternalServerError
	case refusal.Kind == platform.Full:
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// confirmAnswer returns the booking in the form of a confirm's answer. It does not change while the
// booking stands, so that a second confirm receives the same answer as the first (CNF-4).
func confirmAnswer(b client.Booking) partnerapi.ConfirmAnswer {
	return partnerapi.ConfirmAnswer{
		ExternalBookingID: b.ID,
		Status:            partnerapi.StatusConfirmed,
		UUID:              b.UUID,
		ProductID:         b.ProductID,
		OptionID:          b.OptionID,
		AvailabilityID:    b.AvailabilityID,
		Contact:           b.Contact,
		Tickets:           b.Tickets,
	}
}
