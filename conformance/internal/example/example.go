// Package example shows, for each rule, an answer that conforms to it and one that breaks it.
//
// The examples of rules about fields are derived from the schemas: the right answer is the schema's
// own example, and the wrong one has a change that breaks exactly this rule. The examples of other
// rules are short exchanges, written in exchanges.go.
package example

import (
	"encoding/json"
	"fmt"
	"strings"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// Step is a call and its answer.
type Step struct {
	Call   string // such as "POST /bookings/reserve for 2 guests"
	Status int
	Answer string // JSON, or a description in its place
	Note   string // such as "after 6.2 s"
}

// Example is what a partner should answer, and what breaks the rule.
type Example struct{ Right, Wrong []Step }

// String returns the step as two lines.
func (s Step) String() string {
	status := ""
	if s.Status != 0 {
		status = fmt.Sprintf(" -> %d", s.Status)
	}
	if s.Note != "" {
		status += " " + s.Note
	}
	return strings.TrimSuffix(s.Call+status+"\n"+s.Answer, "\n")
}

// The calls, and the shortest answers to them.
var (
	calls = map[partnerapi.Endpoint]string{
		partnerapi.Products: "GET /products", partnerapi.Availability: "POST /availability", partnerapi.Reserve: "POST /bookings/reserve",
		partnerapi.Confirm: "POST /bookings/confirm", partnerapi.Release: "DELETE /bookings/R-1", partnerapi.Cancel: "POST /bookings/B-1/cancel",
		rule.Webhooks: "POST /availability/notify",
	}
	answers = map[partnerapi.Endpoint]string{
		partnerapi.Products:     `[{"id": "walk", "internalName": "Walk", "locale": "en", "timeZone": "Europe/Lisbon", "instantConfirmation": true, "options": [{"id": "am", "internalName": "Morning", "availabilityType": "START_TIME", "units": [{"id": "unit-adult", "internalName": "Adult", "type": "ADULT", "pricingFrom": [{"original": 2250, "currency": "EUR"}]}]}]}]`,
		partnerapi.Availability: slots(12),
		partnerapi.Reserve:      `{"reservationConfirmationCode": "R-1", "expiresAt": "2026-07-01T08:20:00+01:00"}`,
		partnerapi.Confirm:      `{"externalBookingId": "B-1", "status": "CONFIRMED"}`,
		partnerapi.Release:      `{"success": true}`,
		partnerapi.Cancel:       `{"success": true}`,
	}
)

const (
	refusal      = `{"message": "No seats are left for this start."}`
	unauthorized = `{"message": "The key is not valid."}`
	empty        = `{}`
)

func slot(id, day string, vacancies int) string {
	status := "AVAILABLE"
	if vacancies == 0 {
		status = "SOLD_OUT"
	}
	return fmt.Sprintf(`{"id": %q, "localDateTimeStart": "%sT09:00:00+01:00", "localDateTimeEnd": "%[2]sT11:00:00+01:00", "status": %[3]q, "vacancies": %[4]d}`, id, day, status, vacancies)
}

// today is the day of the slot in these examples.
const today = "2026-07-01"

func slots(vacancies int) string { return list(slot("s-1", today, vacancies)) }

func list(all ...string) string { return "[" + strings.Join(all, ", ") + "]" }

func call(e partnerapi.Endpoint, about string, status int, answer string) Step {
	return Step{Call: strings.TrimSpace(calls[e] + " " + about), Status: status, Answer: answer}
}

// correctCall returns a call with a correct answer.
func correctCall(e partnerapi.Endpoint, about string) Step { return call(e, about, 200, answers[e]) }

func availabilityStep(when string, vacancies int) Step {
	return call(partnerapi.Availability, when, 200, slots(vacancies))
}

// seats returns an example about the vacancies before and after some calls.
func seats(before, right, wrong int, between ...Step) Example {
	all := func(after int) []Step {
		return append(append([]Step{availabilityStep("before", before)}, between...), availabilityStep("after", after))
	}
	return Example{all(right), all(wrong)}
}

// pair returns an example of one call.
func pair(right, wrong Step) Example { return Example{[]Step{right}, []Step{wrong}} }

// lastStepExample returns an example in which the last of several calls is right or wrong.
func lastStepExample(before []Step, right, wrong Step) Example {
	return Example{append(before[:len(before):len(before)], right), append(before[:len(before):len(before)], wrong)}
}

func marshalText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
