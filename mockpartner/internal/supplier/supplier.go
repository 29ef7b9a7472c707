// Package supplier serves a sandbox as a supplier of OCTO, the open standard for tours and activities
// (octo.travel): the same catalog, slots, holds, bookings and quirks as the partner contract shows,
// in OCTO's words.
//
// A booking of OCTO is a hold of the platform and what it becomes. Its uuid, which a reseller may
// choose, is the hold's code. Its supplierReference is the id of the booking.
package supplier

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// maxBody is the maximum size of a request's body, in bytes.
const maxBody = 1 << 20

// call is one request to an endpoint.
type call struct {
	*http.Request
	w     http.ResponseWriter
	box   *sandbox.Sandbox
	entry journal.Entry
	uuid  string // of the booking in the path
}

// Handler returns the supplier. find returns the sandbox of a request, and its entry in the journal.
func Handler(find func(*http.Request) (*sandbox.Sandbox, journal.Entry)) http.Handler {
	router := reply.NewRouter()
	serve := func(path string, handle func(call) (any, error), methods ...string) {
		router.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			box, entry := find(r)
			value, err := call{Request: r, w: w, box: box, entry: entry}.answer(handle)
			if err != nil {
				status, body := errorOf(err)
				reply.Send(w, status, body)
				return
			}
			if r.Header.Get(octo.CapabilitiesHeader) != "" {
				w.Header().Set(octo.CapabilitiesHeader, octo.Pricing)
			}
			reply.Send(w, http.StatusOK, value)
		}).Methods(methods...)
	}
	serve("/supplier", describe, http.MethodGet)
	serve("/products", products, http.MethodGet)
	serve("/products/{id}", product, http.MethodGet)
	serve("/availability", availability, http.MethodPost)
	serve("/availability/calendar", calendar, http.MethodPost)
	serve("/bookings", reserve, http.MethodPost)
	serve("/bookings", bookings, http.MethodGet)
	serve("/bookings/{uuid}", booking, http.MethodGet)
	serve("/bookings/{uuid}/confirm", confirm, http.MethodPost)
	serve("/bookings/{uuid}/cancel", cancel, http.MethodPost, http.MethodDelete)
	serve("/bookings/{uuid}/extend", extend, http.MethodPost, http.MethodPatch)
	return router
}

// answer calls the endpoint if the request presents the sandbox's key. OCTO distinguishes a missing key
// from a wrong one.
func (c call) answer(handle func(call) (any, error)) (any, error) {
	if !c.box.Credential().Bearer().IsPresented(c.Request) && !fault.Admitted(c.Context()) {
		if c.Header.Get("Authorization") == "" {
			return nil, refuse(octo.Unauthorized, "send the header Authorization: Bearer <key>")
		}
		return nil, refuse(octo.Forbidden, "the key is wrong: send the header Authorization: Bearer <key>")
	}
	var err error
	if c.uuid, err = reply.Segment(c.Request, "uuid"); err != nil {
		return nil, refusal{octo.Error{Code: octo.InvalidBookingUUID, Message: err.Error()}}
	}
	return handle(c)
}

func (c call) business() *platform.Platform { return c.box.Platform() }

// isPriced reports whether the reseller wants prices.
func (c call) isPriced() bool {
	for capability := range strings.SplitSeq(c.Header.Get(octo.CapabilitiesHeader), ",") {
		if name := strings.TrimSpace(capability); name == octo.Pricing || name == "pricing" {
			return true
		}
	}
	return false
}

// read decodes the request's body. Unknown fields are ignored.
func read[T any](c call) (value T, err error) {
	body, err := reply.ReadBody(c.w, c.Request, maxBody)
	if err != nil {
		return value, err
	}
	if len(body) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return value, refuse(octo.BadRequest, "the body is not as expected: "+err.Error())
	}
	return value, nil
}

// refusal is an error with the body that answers it.
type refusal struct{ body octo.Error }

func (r refusal) Error() string { return r.body.Message }

func refuse(code octo.ErrorCode, message string) error {
	return refusal{octo.Error{Code: code, Message: message}}
}

// errorOf returns the status and the body for an error.
func errorOf(err error) (status int, body octo.Error) {
	if known := (refusal{}); errors.As(err, &known) {
		switch known.body.Code {
		case octo.Unauthorized:
			return http.StatusUnauthorized, known.body
		case octo.Forbidden:
			return http.StatusForbidden, known.body
		}
		return http.StatusBadRequest, known.body
	}
	body = octo.Error{Code: octo.BadRequest, Message: err.Error()}
	if stated := (*reply.Refusal)(nil); errors.As(err, &stated) {
		return stated.Status, body
	}
	refused := (*platform.Refusal)(nil)
	if !errors.As(err, &refused) {
		return http.StatusInternalServerError, octo.Error{Code: octo.InternalServerError, Message: "the answer could not be made"}
	}
	switch refused.Kind {
	case platform.Full:
		return http.StatusServiceUnavailable, octo.Error{Code: octo.InternalServerError, Message: refused.Message}
	case platform.Unavailable:
		body.Code = octo.UnprocessableEntity
	case platform.NoLiveHold, platform.Taken:
		body.Code = octo.InvalidBookingUUID
	}
	return http.StatusBadRequest, body
}

// describe answers GET /supplier.
func describe(c call) (any, error) {
	scheme := "http://"
	if c.TLS != nil {
		scheme = "https://"
	}
	return map[string]any{
		"id": "mock-partner", "name": "Mock partner", "endpoint": scheme + c.Host,
		"contact": map[string]any{"website": nil, "email": nil, "telephone": nil, "address": nil},
	}, nil
}

// OperationOf returns what a request asks of the platform, for faults and the journal. To cancel a
// booking that is on hold is to release the hold.
func OperationOf(r *http.Request, p *platform.Platform) script.Operation {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	action := r.Method + " " + parts[0]
	if len(parts) == 3 {
		action += "/" + parts[2]
	}
	switch {
	case action == "GET products" && len(parts) <= 2:
		return script.Operation{Endpoint: partnerapi.Products}
	case action == "POST availability":
		return script.Operation{Endpoint: partnerapi.Availability}
	case action == "POST bookings" && len(parts) == 1:
		return script.Operation{Endpoint: partnerapi.Reserve}
	case len(parts) != 3:
		return script.Operation{}
	}
	uuid, _ := url.PathUnescape(parts[1])
	switch action {
	case "POST bookings/confirm":
		return script.Operation{Endpoint: partnerapi.Confirm, Code: uuid}
	case "POST bookings/cancel", "DELETE bookings/cancel":
		if hold, ok := p.FindHold(uuid); ok && hold.State == client.Confirmed {
			return script.Operation{Endpoint: partnerapi.Cancel, BookingID: hold.BookingID}
		}
		return script.Operation{Endpoint: partnerapi.Release, Code: uuid}
	}
	return script.Operation{}
}
