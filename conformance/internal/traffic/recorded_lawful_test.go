package traffic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// optionsAsked is how many options of a partner are asked for; for SOAK, all.
func optionsAsked() int {
	if os.Getenv("SOAK") != "" {
		return math.MaxInt
	}
	return 2
}

// asked is when the mocks are asked: what they sell on a day of the window depends on its weekday.
var asked = time.Date(2026, time.November, 27, 10, 0, 0, 0, time.UTC)

// windowsOf asks a mock for its catalog, and for each option the window of a sync, three of its days
// and the window again. It returns the recording.
func windowsOf(t *testing.T, o mockpartner.Options) string {
	t.Helper()
	o.AuthKey, o.Now, o.Frozen = recordedKey, asked, true
	mock, err := mockpartner.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(func() { mock.Close(); server.Close() })
	call := func(method, path string, body any) []byte {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+recordedKey)
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil // a connection that the partner ends
		}
		defer answer.Body.Close()
		raw, _ := io.ReadAll(answer.Body)
		return raw
	}
	var list []partnerapi.Product
	catalog := call(http.MethodGet, partnerapi.ProductsPath, nil)
	if json.Unmarshal(catalog, &list) != nil {
		var object struct{ Products []partnerapi.Product }
		_ = json.Unmarshal(catalog, &object)
		list = object.Products
	}
	options := 0
	for _, product := range list {
		zone, err := time.LoadLocation(product.TimeZone)
		if err != nil {
			continue // another rule's breach
		}
		for _, option := range product.Options {
			if options++; options > optionsAsked() {
				break
			}
			unit := "unit-adult"
			if !slices.ContainsFunc(option.Units, func(u partnerapi.Unit) bool { return u.ID == unit }) && len(option.Units) > 0 {
				unit = option.Units[0].ID
			}
			window := func(from, to int) {
				day := func(n int) string { return asked.In(zone).AddDate(0, 0, n).Format(time.DateOnly) }
				call(http.MethodPost, partnerapi.AvailabilityPath, partnerapi.AvailabilityRequest{
					ProductID: product.ID, OptionID: option.ID, LocalDateStart: day(from), LocalDateEnd: day(to), Units: []partnerapi.UnitQuantity{{ID: unit, Quantity: 1}},
				})
			}
			window(0, partnerapi.LookaheadDays)
			for _, day := range []int{9, 30, partnerapi.LookaheadDays} {
				window(day, day)
			}
			window(0, partnerapi.LookaheadDays)
		}
	}
	return string(call(http.MethodGet, "/_mock/journal/har?limit=100000", nil))
}

// brokenWindows returns the broken rules about availability.
func brokenWindows(t *testing.T, o mockpartner.Options) (broken []string) {
	t.Helper()
	outcome, err := judgeFiles(t, windowsOf(t, o))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range brokenRules(outcome.Result) {
		if strings.HasPrefix(id, "availability.") {
			broken = append(broken, id)
		}
	}
	return broken
}

func TestWindowsOfLawfulPartnersAgree(t *testing.T) {
	t.Parallel()
	for _, v := range mockpartner.Variants() {
		if v.Webhooks {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			if broken := brokenWindows(t, mockpartner.Options{Variants: []string{v.Name}}); broken != nil {
				t.Errorf("want nothing broken, got %v", broken)
			}
		})
	}
}

func TestWindowsThatLackADayAreABreach(t *testing.T) {
	t.Parallel()
	for defect, rule := range map[string]string{"window-without-its-end": "availability.one-day", "long-window-without-its-end": "availability.window-end"} {
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			if broken := brokenWindows(t, mockpartner.Options{Defects: []string{defect}}); !slices.Equal(broken, []string{rule}) {
				t.Errorf("want %s broken, got %v", rule, broken)
			}
		})
	}
}
