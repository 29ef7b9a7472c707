package console_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// check ends the test on an error.
var check = errtest.Check

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// visitor looks at a mock's console.
type visitor struct {
	*mocktest.Server
	t *testing.T
}

func start(t *testing.T, change ...func(*mockpartner.Options)) visitor {
	t.Helper()
	options := mockpartner.Options{Now: noon, Frozen: true}
	for _, c := range change {
		c(&options)
	}
	return visitor{mocktest.Start(t, options), t}
}

// send sends a request without following where it leads.
func (v visitor) send(method, path, kind, body string) (*http.Response, string) {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.URL+path, strings.NewReader(body))
	check(v.t, err)
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+v.AuthKey)
	response, err := http.DefaultTransport.RoundTrip(request)
	check(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(v.t, err)
	return response, string(text)
}

// see loads a page.
func (v visitor) see(path string) string {
	v.t.Helper()
	response, text := v.send("GET", path, "", "")
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		v.t.Fatalf("%s: want a page, got %s: %.300s", path, response.Status, text)
	}
	return text
}

// partner calls an endpoint of the partner, and expects the status.
func (v visitor) partner(method, path, body string, want int) {
	v.t.Helper()
	if response, text := v.send(method, path, "application/json", body); response.StatusCode != want {
		v.t.Fatalf("%s %s: want %d, got %s: %s", method, path, want, response.Status, text)
	}
}

// slot is a slot with seats left.
func (v visitor) slot() client.SlotState {
	v.t.Helper()
	slots, err := v.Default().Platform().Calendar("tokyo-market", "breakfast", time.Time{}, 14)
	check(v.t, err)
	i := slices.IndexFunc(slots, func(s client.SlotState) bool { return s.Status == partnerapi.StatusAvailable })
	return slots[i]
}

func (v visitor) reserve(name string) client.Hold {
	v.t.Helper()
	hold, err := v.Default().Platform().Reserve(partnerapi.ReserveRequest{
		ProductID: "tokyo-market", OptionID: "breakfast", AvailabilityID: v.slot().AvailabilityID, ResellerReference: name,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	}, nil)
	check(v.t, err)
	return hold
}

// elements lists the elements of a page.
func elements(t *testing.T, page string) (all []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	check(t, err)
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// newBusyMock is a mock in which everything has happened that the page shows.
func newBusyMock(t *testing.T) visitor {
	t.Helper()
	v := start(t)
	v.reserve("b-1")
	booked := v.reserve("b-2")
	if _, err := v.Default().Platform().Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: booked.Code}, nil); err != nil {
		t.Fatal(err)
	}
	v.Default().Platform().Release(v.reserve("b-3").Code, nil)
	if _, err := v.Control.Faults.Arm(t.Context(), `{"name":"down","match":{"endpoint":"cancel"},"status":503}`); err != nil {
		t.Fatal(err)
	}
	v.partner("POST", "/bookings/x/cancel", "", 503)
	v.partner("GET", "/products?limit=1", "", 200)
	return v
}

// firstSlot is the id of a slot of the option that the page begins with.
func (v visitor) firstSlot() string {
	v.t.Helper()
	slots, err := v.Default().Platform().Calendar("lisbon-walk", "small-group", time.Time{}, 1)
	if err != nil || len(slots) == 0 {
		v.t.Fatalf("want a slot, got %v, %v", slots, err)
	}
	return slots[0].AvailabilityID
}

// form finds the form of a call on a page.
func form(t *testing.T, page []*html.Node, id string) (*html.Node, url.Values) {
	t.Helper()
	for _, element := range page {
		if element.Data != "form" || attribute(element, "id") != id {
			continue
		}
		values := url.Values{}
		for field := range element.Descendants() {
			if field.Type == html.ElementNode && field.Data == "input" && attribute(field, "type") != "checkbox" {
				values.Set(attribute(field, "name"), attribute(field, "value"))
			}
		}
		return element, values
	}
	t.Fatalf("want a form %s on the page", id)
	return nil, nil
}

const formKind = "application/x-www-form-urlencoded"

// submit sends a form of a page as a browser without script does.
func (v visitor) submit(path, id string, entered map[string]string) (*http.Response, string) {
	v.t.Helper()
	element, values := form(v.t, elements(v.t, v.see(path)), id)
	for name, value := range entered {
		values.Set(name, value)
	}
	if attribute(element, "action") != "" {
		v.t.Errorf("want the form %s sent to its own page", id)
	}
	return v.send("POST", path, formKind, values.Encode())
}
