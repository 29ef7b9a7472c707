package twin_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/twin"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// recordBookings has a mock booked with, and returns the recording of it.
func recordBookings(t *testing.T, o mockpartner.Options) string {
	t.Helper()
	o.AuthKey, o.Now, o.Frozen = key, noon, true
	server := mocktest.Start(t, o)
	call := func(method, path string, body any) map[string]any {
		text := ""
		if body != nil {
			encoded, err := json.Marshal(body)
			check(t, err)
			text = string(encoded)
		}
		_, replied := ask(t, method, server.URL+path, text)
		answer := map[string]any{}
		_ = json.Unmarshal([]byte(replied), &answer) // a list is of no use here
		return answer
	}
	const product, option, slot = "tokyo-market", "breakfast", "ac4be657-20260710-0530"
	units := []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 2}}
	look := func() {
		call(http.MethodPost, partnerapi.AvailabilityPath, partnerapi.AvailabilityRequest{ProductID: product, OptionID: option, LocalDateStart: "2026-07-10", LocalDateEnd: "2026-07-10", Units: units[:1]})
	}
	reserve := func() string {
		hold := call(http.MethodPost, partnerapi.ReservePath, partnerapi.ReserveRequest{ProductID: product, OptionID: option, AvailabilityID: slot, Units: units})
		look()
		code, _ := hold["reservationConfirmationCode"].(string)
		return code
	}
	call(http.MethodGet, partnerapi.ProductsPath, nil)
	look()
	released := reserve()
	call(http.MethodDelete, partnerapi.ReleasePath(released), nil)
	look()
	call(http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: released})
	call(http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: "unknown-code"})
	booked := reserve()
	booking := call(http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: booked})
	look()
	call(http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: booked})
	look()
	id, _ := booking["externalBookingId"].(string)
	call(http.MethodPost, partnerapi.CancelPath(id), nil)
	look()
	_, archive := ask(t, http.MethodGet, server.URL+"/_mock/journal/har?limit=1000", "")
	file := filepath.Join(t.TempDir(), "calls.har")
	check(t, os.WriteFile(file, []byte(archive), 0o600))
	return file
}

// behaviour is what a twin of a recording has beside its catalog.
func behaviour(t *testing.T, o mockpartner.Options) (*script.Scenario, string) {
	t.Helper()
	twin := learnTwin(t, twin.Options{Recordings: []string{recordBookings(t, o)}})
	scenario, err := script.Parse("twin.yaml", twin.Scenario)
	check(t, err)
	text, _, _ := strings.Cut(string(twin.Scenario), "\ncatalog:")
	return scenario, text
}

func TestNoFaultsAreLearnedFromAConformantPartner(t *testing.T) {
	t.Parallel()
	if s, text := behaviour(t, mockpartner.Options{}); s.Policy != nil || s.HoldFor != 0 || len(s.Quirks)+len(s.Faults) > 0 {
		t.Errorf("Expected neither policy, hold length, quirks nor faults, received\n%s", text)
	}
}

// What a recording leaves out or repeats is not how the partner behaves.
func TestNothingIsLearnedFromWhatARecordingDoesNotTell(t *testing.T) {
	t.Parallel()
	whole := recordBookings(t, mockpartner.Options{})
	archive, err := os.ReadFile(whole)
	check(t, err)
	for what, edit := range map[string]func(method, path string, request, response map[string]any){
		"the same calls": func(string, string, map[string]any, map[string]any) {},
		"no answers":     func(_, _ string, _, response map[string]any) { delete(response["content"].(map[string]any), "text") },
		"no answers but lists": func(_, path string, _, response map[string]any) {
			if strings.Contains(path, "/bookings") {
				delete(response["content"].(map[string]any), "text")
			}
		},
		"attached requests": func(_, _ string, request, _ map[string]any) {
			if sent, has := request["postData"].(map[string]any); has {
				sent["text"], sent["_file"] = "", "a.json"
			}
		},
		"no requests of bookings": func(_, path string, request, _ map[string]any) {
			if strings.Contains(path, "/bookings") {
				delete(request, "postData")
			}
		},
		"unreadable releases": func(method, _ string, request, _ map[string]any) {
			if method == "DELETE" {
				request["url"] = 1
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var log struct {
				Log struct{ Entries []map[string]any }
			}
			check(t, json.Unmarshal(archive, &log))
			for _, entry := range log.Log.Entries {
				request, response := entry["request"].(map[string]any), entry["response"].(map[string]any)
				edit(request["method"].(string), request["url"].(string), request, response)
			}
			text, err := json.Marshal(map[string]any{"log": map[string]any{"entries": log.Log.Entries}})
			check(t, err)
			edited := filepath.Join(t.TempDir(), "edited.har")
			check(t, os.WriteFile(edited, text, 0o600))
			for _, files := range [][]string{{edited, whole}, {whole, edited}, {edited}} {
				learned, err := twin.Learn(t.Context(), twin.Options{Recordings: files, Now: func() time.Time { return noon }})
				if err != nil && what == "no answers" {
					continue // nor is there a catalog
				}
				check(t, err)
				s, err := script.Parse("twin.yaml", learned.Scenario)
				check(t, err)
				if s.Policy != nil || s.HoldFor != 0 || len(s.Quirks)+len(s.Faults) > 0 || len(learned.Notes) == 0 {
					t.Errorf("Expected a note, and neither policy, hold length, quirks nor faults, received %q and\n%.1500s", learned.Notes, learned.Scenario)
				}
			}
		})
	}
}

func TestHowAPartnerDoesBusinessIsLearnedFromARecording(t *testing.T) {
	t.Parallel()
	s, text := behaviour(t, mockpartner.Options{HoldFor: 25 * time.Minute, Scenario: &mockpartner.Scenario{Scenario: &script.Scenario{
		Policy: &catalog.Policy{NoCancel: true, NoTickets: true, Codes: catalog.AwkwardCodes},
	}}})
	if s.HoldFor != 25*time.Minute {
		t.Errorf("Expected holds of 25m, received %s", s.HoldFor)
	}
	if p := s.Policy; p == nil || !p.NoCancel || !p.NoTickets || p.NoHolds || p.Codes != "awkward" {
		t.Errorf("Expected no cancel, no tickets and awkward codes, received\n%s", text)
	}
	if s, text := behaviour(t, mockpartner.Options{Variants: []string{"no-holds"}}); s.Policy == nil || !s.Policy.NoHolds || len(s.Quirks) > 0 {
		t.Errorf("Expected a partner without holds, received\n%s", text)
	}
}

func TestDeclaredLimitsOfAPartyAreKeptByTheTwinUnlessThePartnerDoesNot(t *testing.T) {
	t.Parallel()
	const declares = `faults:
  - {match: {endpoint: products}, answered: 200, jq: 'map(if .id == "tokyo-market" then .options[0].restrictions = {minUnits: 3} else . end)'}
`
	for kept, c := range map[string]struct{ quirks, want string }{
		"kept":     {"quirks: [{on: reserve, does: refuse, if: .party.guests < 3}]\n", ""},
		"not kept": {"", "{on: reserve-bad-size, does: accept, takes: all}"},
	} {
		scenario, err := script.Parse("partner.yaml", []byte(declares+c.quirks))
		check(t, err)
		s, text := behaviour(t, mockpartner.Options{Scenario: &mockpartner.Scenario{Scenario: scenario}})
		if !strings.Contains(text, c.want) || (len(s.Quirks) > 0) != (c.want != "") || len(s.Faults) > 0 {
			t.Errorf("%s: Expected the quirk %q and no other, received\n%s", kept, c.want, text)
		}
		for _, product := range s.Catalog.Products {
			if product.ID == "tokyo-market" && product.Options[0].Restrictions != (partnerapi.PartyLimits{MinUnits: 3}) {
				t.Errorf("%s: Expected the declared limits, received %+v", kept, product.Options[0])
			}
		}
	}
}

func TestTicketsInTheFormatsOfTheContractKeepThem(t *testing.T) {
	t.Parallel()
	_, text := behaviour(t, mockpartner.Options{Variants: []string{"tickets-in-every-format"}})
	if !strings.Contains(text, "CODE128") || strings.Contains(text, "OTHER") {
		t.Errorf("Expected tickets with the format CODE128, received\n%s", text)
	}
}

func TestABreachIsLearnedFromARecording(t *testing.T) {
	t.Parallel()
	for defect, want := range map[string]string{
		"release-gives-nothing-back":  "{on: release, gives: none}",
		"release-gives-one-seat-back": "{on: release, gives: all-but-one}",
		"hold-takes-no-seats":         "{on: reserve, takes: none}",
		"second-confirm-books-again":  "{on: confirm-again, does: accept}",
		"released-code-is-booked":     "on: confirm-released, does: accept",
		"cancel-keeps-the-seats":      "{on: cancel, gives: none}",
		"unknown-code-not-found":      "state: {hold: unknown}}, status: 404",
		"second-confirm-fails":        "state: {hold: confirmed, booking: confirmed}}, status: 500",
		"hold-without-expiry":         "jq: 'del(.expiresAt)'",
		"booking-is-pending":          `jq: '.status = "PENDING"'`,
		"confirm-created":             "set_status: 201",
		"release-says-no":             "jq: '.success = false'",
		"price-as-text":               "endpoint: products",
	} {
		if _, text := behaviour(t, mockpartner.Options{Defects: []string{defect}}); !strings.Contains(text, want) {
			t.Errorf("%s: Expected %s, received\n%s", defect, want, text)
		}
	}
}
