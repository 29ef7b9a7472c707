package partner

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Contact is the guest of every hold and booking of a run.
var Contact = partnerapi.Contact{
	FullName: "Conformance Test", EmailAddress: "conformance@example.com", PhoneNumber: "+10000000000",
}

// Products returns GET /products.
func Products(purpose string, query url.Values, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Products, Purpose: purpose,
		Method: http.MethodGet, Path: partnerapi.ProductsPath, Query: query, Key: key,
	}
}

// Availability returns POST /availability.
func Availability(purpose string, request partnerapi.AvailabilityRequest, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Availability, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.AvailabilityPath, Key: key, Body: Encode(request),
	}
}

// Reserve returns the reserve of a ledger entry. full adds the contact and the reference.
func Reserve(purpose string, entry *ledger.Entry, full bool, key probe.Key) probe.Call {
	request := partnerapi.ReserveRequest{
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Units: entry.Units,
	}
	if full {
		request.Contact, request.ResellerReference = &Contact, entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath,
		Body: Encode(request), Key: key,
	}
}

// Confirm returns the confirm of a code. full adds the contact and the reference of its ledger entry.
func Confirm(purpose, code string, entry *ledger.Entry, full bool, key probe.Key) probe.Call {
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: code}
	if full {
		request.Contact, request.ResellerReference = &Contact, entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: Encode(request), Key: key,
	}
}

// Release returns DELETE /bookings/{code}, with or without its optional body.
func Release(purpose, code string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Release, Purpose: purpose,
		Method: http.MethodDelete, Path: partnerapi.ReleasePath(code), Key: key,
	}
	if body {
		call.Body = Encode(partnerapi.ReleaseRequest{ReservationConfirmationCode: code})
	}
	return call
}

// Cancel returns POST /bookings/{id}/cancel, with or without its optional body.
func Cancel(purpose, id string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Cancel, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.CancelPath(id), Key: key,
	}
	if body {
		call.Body = Encode(partnerapi.CancelRequest{Reason: "conformance test"})
	}
	return call
}

// Guests returns a party of the option's lead unit: n guests, or as near to it as the option takes.
func Guests(option discover.Option, n int64) []partnerapi.UnitQuantity {
	return Leads(option, option.Fit(n))
}

// Leads returns a party of exactly n guests of the option's lead unit, whatever parties it takes.
func Leads(option discover.Option, n int64) []partnerapi.UnitQuantity {
	return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: int(n)}}
}

// TwoTypes returns a party of guests of two types, as small as the option takes. It returns nil if the option has no second
// type that may come with the lead unit, or takes only one guest.
func TwoTypes(option discover.Option) []partnerapi.UnitQuantity {
	companion, ok := option.Companion()
	guests := option.Fit(2)
	if !ok || guests < 2 {
		return nil
	}
	return append(Leads(option, guests-1), partnerapi.UnitQuantity{ID: companion, Quantity: 1})
}

// Encode marshals a request that cannot fail to marshal, such as those of this package.
func Encode(request any) []byte {
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// Text returns a string field of an answer that is an object, or "" if it has none.
func Text(answer *probe.Answer, name string) string {
	s, _ := discover.Object(answer.Raw)[name].(string)
	return s
}

// AnyOf lists statuses in words, such as "400 or 404".
func AnyOf(statuses []int) string {
	words := make([]string, len(statuses))
	for i, status := range statuses {
		words[i] = strconv.Itoa(status)
	}
	return strings.Join(words, " or ")
}
