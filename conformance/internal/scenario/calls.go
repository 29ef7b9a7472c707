package scenario

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

// contact is the guest of every test booking.
var contact = partnerapi.Contact{
	FullName: "Conformance Test", EmailAddress: "conformance@example.com", PhoneNumber: "+10000000000",
}

func productsCall(purpose string, query url.Values, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Products, Purpose: purpose,
		Method: http.MethodGet, Path: partnerapi.ProductsPath, Query: query, Key: key,
	}
}

func availabilityCall(purpose string, q Question, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Availability, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.AvailabilityPath, Key: key, Body: encode(q.request()),
	}
}

// reserveCall is the reserve that an entry is about; full is one with contact and
// reference.
func reserveCall(purpose string, entry *ledger.Entry, full bool, key probe.Key) probe.Call {
	request := partnerapi.ReserveRequest{
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Units: entry.Units,
	}
	if full {
		request.Contact, request.ResellerReference = &contact, entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath,
		Body: encode(request), Key: key,
	}
}

func confirmCall(purpose string, h *Hold, full bool, key probe.Key) probe.Call {
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: h.Code}
	if full {
		request.Contact, request.ResellerReference = &contact, h.entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: encode(request), Key: key,
	}
}

// releaseCall is DELETE /bookings/{code}, with or without its optional body.
func releaseCall(purpose, code string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Release, Purpose: purpose,
		Method: http.MethodDelete, Path: partnerapi.ReleasePath(code), Key: key,
	}
	if body {
		call.Body = encode(partnerapi.ReleaseRequest{ReservationConfirmationCode: code})
	}
	return call
}

// cancelCall is POST /bookings/{id}/cancel, with or without its optional body.
func cancelCall(purpose, id string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Cancel, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.CancelPath(id), Key: key,
	}
	if body {
		call.Body = encode(partnerapi.CancelRequest{Reason: "conformance test"})
	}
	return call
}

// Guests returns a party of n leads of an option.
func Guests(option discover.Option, n int64) []partnerapi.UnitQuantity {
	return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: int(n)}}
}

// encode marshals a request of our own, which cannot fail.
func encode(request any) []byte {
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// Text returns the string under a name of an answer that is a JSON object, or "".
func Text(answer *probe.Answer, name string) string {
	s, _ := discover.Object(answer.Raw)[name].(string)
	return s
}

// AnyOf says one of several statuses in words.
func AnyOf(statuses []int) string {
	words := make([]string, len(statuses))
	for i, status := range statuses {
		words[i] = strconv.Itoa(status)
	}
	return strings.Join(words, " or ")
}
