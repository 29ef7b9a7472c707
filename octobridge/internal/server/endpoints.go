package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func (s *Server) products(r *http.Request) (any, error) {
	query, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Products, query.limit > 0))
	defer cancel()
	read := s.offered.fresh
	if query.limit > 0 { // such as a health probe, once a minute
		read = s.offered.recent
	}
	offered, err := read(ctx)
	if err != nil {
		return nil, err
	}
	products := offered.Products
	if query.limit > 0 && query.limit < len(products) {
		products = products[:query.limit]
	}
	return products, nil
}

type query struct{ limit int } // 0 means all

// readQuery reads the query of GET /products. OCTO does not say what has changed, so updated_since
// selects nothing (PRD-14).
func readQuery(r *http.Request) (q query, err error) {
	values := r.URL.Query()
	if values.Has("limit") {
		if q.limit, err = strconv.Atoi(values.Get("limit")); err != nil || q.limit < 1 {
			return q, badRequest("limit: expected a number of at least 1")
		}
	}
	if values.Has("updated_since") {
		if _, err := partnerapi.ParseDateTime(values.Get("updated_since")); err != nil {
			return q, badRequest("updated_since: " + err.Error())
		}
	}
	return q, nil
}

func (s *Server) availability(r *http.Request) (any, error) {
	asked, err := read[partnerapi.AvailabilityRequest](r, schemas.AvailabilityRequest, true)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Availability, false))
	defer cancel()
	option, party, err := s.party(ctx, asked.ProductID, asked.OptionID, asked.Units)
	if err != nil {
		return nil, err
	}
	texts, err := s.Supplier.Availability(ctx, octo.AvailabilityRequest{
		ProductID: asked.ProductID, OptionID: asked.OptionID, LocalDateStart: asked.LocalDateStart, LocalDateEnd: asked.LocalDateEnd, Units: party,
	})
	if err != nil {
		return nil, err
	}
	slots, left := option.Slots(texts, s.Now())
	if len(left) > 0 {
		s.Log.Warn("slots are left out", "product", asked.ProductID, "option", asked.OptionID, "slots", len(left), "error", left[0])
	}
	return slots, nil
}

func (s *Server) reserve(r *http.Request) (any, error) {
	asked, err := read[partnerapi.ReserveRequest](r, schemas.ReserveRequest, true)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Reserve, false))
	defer cancel()
	option, party, err := s.party(ctx, asked.ProductID, asked.OptionID, asked.Units)
	if err != nil {
		return nil, err
	}
	items, err := option.Items(party)
	if err != nil {
		return nil, err
	}
	return s.Bookings.Reserve(ctx, booking.Order{
		ProductID: asked.ProductID, OptionID: asked.OptionID, AvailabilityID: asked.AvailabilityID, Items: items, Reference: asked.ResellerReference,
	})
}

func (s *Server) confirm(r *http.Request) (any, error) {
	asked, err := read[partnerapi.ConfirmRequest](r, schemas.ConfirmRequest, true)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Confirm, false))
	defer cancel()
	return s.Bookings.Confirm(ctx, asked)
}

func (s *Server) release(r *http.Request) (any, error) {
	code, err := segment(r)
	if err != nil {
		return nil, err
	}
	asked, err := read[partnerapi.ReleaseRequest](r, schemas.ReleaseRequest, false)
	if err != nil {
		return nil, err
	}
	// The path and the body name different codes. Releasing either could release the wrong hold.
	if named := asked.ReservationConfirmationCode; named != "" && named != code {
		return nil, badRequest("reservationConfirmationCode: the body names another code than the path")
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Release, false))
	defer cancel()
	return partnerapi.Done{Success: true}, s.Bookings.Release(ctx, code)
}

func (s *Server) cancel(r *http.Request) (any, error) {
	id, err := segment(r)
	if err != nil {
		return nil, err
	}
	asked, err := read[partnerapi.CancelRequest](r, schemas.CancelRequest, false)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitFor(partnerapi.Cancel, false))
	defer cancel()
	return partnerapi.Done{Success: true}, s.Bookings.Cancel(ctx, id, asked.Reason)
}

// party returns the option with these ids, and the supplier's units for those of a request.
func (s *Server) party(ctx context.Context, productID, optionID string, units []partnerapi.UnitQuantity) (*offer.Option, []octo.UnitQuantity, error) {
	option, err := s.offered.option(ctx, productID, optionID)
	if err != nil {
		return nil, nil, err
	}
	party, err := option.Party(units)
	return option, party, err
}

// maxProblems is the number of problems of a body that an answer names.
const maxProblems = 5

// read decodes a request's body. Unknown fields are ignored (GEN-9).
func read[T any](r *http.Request, schema string, required bool) (value T, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 && !required {
		return value, err
	}
	if kind := r.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
		return value, badRequest("expected a body of Content-Type application/json")
	}
	if problems := schemas.Decode(schema, body, &value); len(problems) > 0 {
		var words []string
		for _, problem := range problems[:min(len(problems), maxProblems)] {
			words = append(words, problem.String())
		}
		return value, badRequest(strings.Join(words, "; "))
	}
	return value, nil
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}
