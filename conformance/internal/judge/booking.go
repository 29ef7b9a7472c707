package judge

import (
	"fmt"
	"reflect"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Confirmed checks the status of a booking.
func Confirmed(answer *probe.Answer) string {
	if status := partner.Text(answer, "status"); status != partnerapi.StatusConfirmed {
		return fmt.Sprintf("Expected status %q, received %q", partnerapi.StatusConfirmed, status)
	}
	return ""
}

// Echoes checks that a booking has no other ids than those of its hold.
func Echoes(product, option, slot string) Check {
	return func(answer *probe.Answer) string {
		for _, id := range []struct{ name, want string }{{"availabilityId", slot}, {"optionId", option}, {"productId", product}} {
			if got := partner.Text(answer, id.name); got != "" && got != id.want {
				return fmt.Sprintf("%s: expected that of the hold, %q, received %q", id.name, id.want, got)
			}
		}
		return ""
	}
}

// EchoesContact judges the contact in a booking: its address, if there is one, is that of a request. Addresses that are
// masked with asterisks are not compared. The message quotes none, as it may be another customer's.
func EchoesContact(confirm *probe.Answer, requests ...*report.Exchange) string {
	received := contactAddress([]byte(confirm.Raw))
	if received == "" || strings.Contains(received, "*") {
		return ""
	}
	flaw := "" // nothing to compare with
	for _, request := range requests {
		switch {
		case echoesContact(confirm, request):
			return ""
		case contactAddress([]byte(request.Request.Body.Text)) != "":
			flaw = "contact.emailAddress: expected that of the request, received another"
		}
	}
	return flaw
}

// echoesContact reports whether a booking has the address of a request.
func echoesContact(confirm *probe.Answer, request *report.Exchange) bool {
	return strings.EqualFold(contactAddress([]byte(confirm.Raw)), contactAddress([]byte(request.Request.Body.Text)))
}

// contactAddress returns the email address of the contact in a body; "" if it has none.
func contactAddress(body []byte) string {
	contact, _ := discover.Object(body)["contact"].(map[string]any)
	email, _ := contact["emailAddress"].(string)
	return strings.TrimSpace(email)
}

// SameBooking judges the booking in a repeated confirm's answer. Tickets may be made after the first
// answer, but none that it had may be missing.
func SameBooking(first, repeat *probe.Answer) Finding {
	was, is := discover.Object(first.Raw)["tickets"], discover.Object(repeat.Raw)["tickets"]
	switch id, again := partner.Text(first, "externalBookingId"), partner.Text(repeat, "externalBookingId"); {
	case again != id:
		return Breach("Expected the same booking, %q, or a refusal, received booking %q", id, again).WithEvidence(first.Exchange, repeat.Exchange)
	case was != nil && is == nil:
		return Breach("Expected the tickets of the first answer, received none").WithEvidence(first.Exchange, repeat.Exchange)
	case was != nil && !reflect.DeepEqual(was, is):
		return Breach("Expected the tickets of the first answer, received others").WithEvidence(first.Exchange, repeat.Exchange)
	default:
		return Finding{}
	}
}

// pdfAddresses returns what is wrong with the addresses of the PDFs in a booking's tickets, or "", and whether there
// are any. Another delivery option that is wrong is judged by its own rules, and changes nothing here.
func pdfAddresses(answer *probe.Answer) (flaw string, has bool) {
	tickets, _ := discover.Object(answer.Raw)["tickets"].([]any)
	for i, ticket := range tickets {
		of, _ := ticket.(map[string]any)
		options, _ := of["deliveryOptions"].([]any)
		for k, option := range options {
			of, _ := option.(map[string]any)
			value, isText := of["deliveryValue"].(string)
			if of["deliveryFormat"] != partnerapi.PDFURL || !isText || value == "" {
				continue
			}
			has = true
			if !partnerapi.IsWebAddress(value) {
				return fmt.Sprintf("tickets[%d].deliveryOptions[%d].deliveryValue: expected an http or https address, received %.200q", i, k, value), true
			}
		}
	}
	return "", has
}
