package script

import (
	"net/http"
	"net/url"
	"strings"

	"partnerkit.dev/schemas/partnerapi"
)

// Operation is what a request asks of the platform, whatever its protocol.
type Operation struct {
	Endpoint partnerapi.Endpoint // empty if it is not one of the six
	// Code and BookingID are those in the request's path; empty if it has none.
	Code, BookingID string
}

// OperationOf returns the operation of a request of the contract.
func OperationOf(r *http.Request) Operation {
	o := Operation{Endpoint: partnerapi.EndpointOf(r)}
	switch o.Endpoint {
	case partnerapi.Release:
		o.Code = segment(r)
	case partnerapi.Cancel:
		o.BookingID = segment(r)
	}
	return o
}

// segment returns the code or booking id in the path (RSV-6).
func segment(r *http.Request) string {
	value, err := url.PathUnescape(strings.Split(r.URL.EscapedPath(), "/")[2])
	if err != nil {
		return ""
	}
	return value
}
