package mockpartner

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func products(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	filter, err := filterOf(r.URL.RawQuery)
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", err)
		return
	}
	body, err := box.Platform().Listing(filter)
	if err != nil {
		refuse(w, err)
		return
	}
	reply.Body(w, http.StatusOK, body)
}

func filterOf(rawQuery string) (filter catalog.Filter, err error) {
	if rawQuery == "" {
		return filter, nil
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return filter, errors.New("the query is not well escaped: " + err.Error())
	}
	if query.Has("limit") {
		if filter.Limit, err = strconv.Atoi(query.Get("limit")); err != nil || filter.Limit < 1 {
			return filter, errors.New("limit: want a number of products of at least 1, got " + strconv.Quote(query.Get("limit")))
		}
	}
	if query.Has("updated_since") {
		// A plus sign that was not escaped has become a space.
		if filter.UpdatedSince, err = partnerapi.ParseDateTime(query.Get("updated_since")); err != nil {
			return filter, errors.New("updated_since: " + err.Error() + "; escape a + as %2B")
		}
	}
	return filter, nil
}

func availability(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if known, ok := box.Answers().Get(body); ok {
		reply.Body(w, http.StatusOK, known)
		return
	}
	request, ok := decode[partnerapi.AvailabilityRequest](w, schemas.AvailabilityRequest, body)
	if !ok {
		return
	}
	window, err := box.Platform().Availability(request)
	if err != nil {
		refuse(w, err)
		return
	}
	answer, err := reply.Marshal(window.Slots)
	if err != nil {
		refuse(w, err)
		return
	}
	box.Answers().Put(body, answer, window.Stamp)
	reply.Body(w, http.StatusOK, answer)
}

// touched has the journal keep what was there before and after a call on the platform.
func touched(r *http.Request) platform.Tell { return callOf(r).entry.Touched }

func reserve(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	request, ok := read[partnerapi.ReserveRequest](w, r, schemas.ReserveRequest)
	if !ok {
		return
	}
	hold, err := box.Platform().Reserve(request, touched(r))
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, partnerapi.ReserveAnswer{
		ReservationConfirmationCode: hold.Code,
		ExpiresAt:                   partnerapi.FormatDateTime(hold.ExpiresAt),
	})
}

func confirm(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	request, ok := read[partnerapi.ConfirmRequest](w, r, schemas.ConfirmRequest)
	if !ok {
		return
	}
	booking, err := box.Platform().Confirm(request, touched(r))
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, booking.Answer())
}

func release(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	code, ok := segment(w, r, "reservationCode")
	if !ok {
		return
	}
	request, ok := readOptional[partnerapi.ReleaseRequest](w, r, schemas.ReleaseRequest)
	if !ok {
		return
	}
	// Two codes in one request: to release either might be the wrong hold.
	if named := request.ReservationConfirmationCode; named != "" && named != code {
		reply.Message(w, http.StatusBadRequest, "reservationConfirmationCode: the body names %q, the path %q", named, code)
		return
	}
	done(w, box.Platform().Release(code, touched(r)))
}

func cancel(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	if box.Platform().Conduct().Policy.NoCancel {
		reply.Message(w, http.StatusNotFound, "this partner does not take cancellations")
		return
	}
	id, ok := segment(w, r, "externalBookingId")
	if !ok {
		return
	}
	if _, ok := readOptional[partnerapi.CancelRequest](w, r, schemas.CancelRequest); !ok {
		return
	}
	done(w, box.Platform().Cancel(id, touched(r)))
}

func done(w http.ResponseWriter, outcome platform.Outcome) {
	reply.JSON(w, http.StatusOK, partnerapi.Done{Success: true, Message: string(outcome)})
}

// segment returns the code or booking id that is a segment of the path (RSV-6).
func segment(w http.ResponseWriter, r *http.Request, name string) (string, bool) {
	value, err := url.PathUnescape(mux.Vars(r)[name])
	if err != nil {
		reply.Message(w, http.StatusBadRequest, "%s: the path segment is not well escaped: %v", name, err)
	}
	return value, err == nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, ok := reply.Whole(w, r, maxBody)
	if !ok {
		return nil, false
	}
	if kind := r.Header.Get("Content-Type"); len(body) > 0 && kind != "" && !isJSON(kind) {
		reply.Message(w, http.StatusUnsupportedMediaType, "want a body of Content-Type application/json, got %q", kind)
		return nil, false
	}
	return body, true
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func read[T any](w http.ResponseWriter, r *http.Request, schema string) (T, bool) {
	body, ok := readBody(w, r)
	if !ok {
		var none T
		return none, false
	}
	return decode[T](w, schema, body)
}

func readOptional[T any](w http.ResponseWriter, r *http.Request, schema string) (T, bool) {
	var none T
	body, ok := readBody(w, r)
	if !ok || len(body) == 0 {
		return none, ok
	}
	return decode[T](w, schema, body)
}

func decode[T any](w http.ResponseWriter, schema string, body []byte) (value T, ok bool) {
	if problems := schemas.Decode(schema, body, &value); len(problems) > 0 {
		reply.Message(w, http.StatusBadRequest, "%s", sentence(problems))
		return value, false
	}
	return value, true
}

const maxProblems = 5

func sentence(problems []schemas.Problem) string {
	var words []string
	for _, problem := range problems[:min(len(problems), maxProblems)] {
		words = append(words, problem.String())
	}
	return strings.Join(words, "; ")
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) {
		status = http.StatusBadRequest
		if refusal.Kind == platform.Full {
			status = http.StatusServiceUnavailable
		}
	}
	reply.JSON(w, status, partnerapi.Refusal{Message: err.Error()})
}
