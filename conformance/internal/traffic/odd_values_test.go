package traffic_test

import (
	"os"
	"path/filepath"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/oddvalues"
	"partnerkit.dev/schemas/partnerapi"
)

// The marketplace judges the same values: see its packages catalog and partner.
func TestTheSuiteTakesTheAnswersThatTheContractAllows(t *testing.T) {
	t.Parallel()
	all := oddvalues.All()
	if len(all) < 200 {
		t.Fatalf("want 200 values, got %d", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "calls.jsonl")
			errtest.Check(t, os.WriteFile(file, []byte(callsOf(v)), 0o600))
			outcome, err := suite.JudgeRecorded(t.Context(), suite.Recorded{Files: []string{file}, HandlesTicketDelivery: true})
			errtest.Check(t, err)
			broken := ""
			for _, one := range outcome.Result.Rules {
				// The address of a PDF is advice only, but the marketplace uses no other.
				if one.Level == rule.Must && one.Outcome == report.Failed || one.ID == rule.TicketAddress.ID && one.Outcome == report.Warned {
					broken += one.ID + ": " + one.Message + "\n"
				}
			}
			if (broken == "") != v.Lawful {
				t.Errorf("want lawful %t, got %q", v.Lawful, broken)
			}
		})
	}
}

// callsOf returns the calls of a marketplace that lead to the answer.
func callsOf(v oddvalues.Value) string {
	if v.Endpoint == partnerapi.Products {
		return entry(0, "GET", "/products", "", 200, v.Answer)
	}
	calls := entry(0, "GET", "/products", "", 200, oddvalues.Product)
	const units = `"units":[{"id":"unit-adult","quantity":1}]`
	hold := func(answer string) string {
		return entry(2, "POST", "/bookings/reserve", `{"productId":"p","optionId":"o","availabilityId":"s-1",`+units+`,"contact":{"fullName":"A"},"resellerReference":"r"}`, 200, answer)
	}
	switch v.Endpoint {
	case partnerapi.Availability:
		return calls + entry(1, "POST", "/availability", `{"productId":"p","optionId":"o","localDateStart":"2026-07-01","localDateEnd":"2026-08-30",`+units+`}`, 200, v.Answer)
	case partnerapi.Reserve:
		return calls + hold(v.Answer)
	}
	return calls + hold(`{"reservationConfirmationCode":"H-1","expiresAt":"2026-07-01T12:20:00Z"}`) +
		entry(3, "POST", "/bookings/confirm", `{"reservationConfirmationCode":"H-1"}`, 200, v.Answer)
}
