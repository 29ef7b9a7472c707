package console_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/platform"
	"partnerkit.dev/schemas/partnerapi"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// visitor looks at a mock's console.
type visitor struct {
	*mockpartner.Server
	t *testing.T
}

func start(t *testing.T, change ...func(*mockpartner.Options)) visitor {
	t.Helper()
	options := mockpartner.Options{Now: noon, Frozen: true}
	for _, c := range change {
		c(&options)
	}
	return visitor{mockpartner.Start(t, options), t}
}

// send sends a request without following where it leads.
func (v visitor) send(method, path, kind, body string) (*http.Response, string) {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.URL+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+v.AuthKey)
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
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

// partner calls an endpoint of the partner, and wants the status.
func (v visitor) partner(method, path, body string, want int) {
	v.t.Helper()
	if response, text := v.send(method, path, "application/json", body); response.StatusCode != want {
		v.t.Fatalf("%s %s: want %d, got %s: %s", method, path, want, response.Status, text)
	}
}

// slot is a slot with seats left.
func (v visitor) slot() platform.SlotState {
	v.t.Helper()
	slots, err := v.Default().Platform().Calendar("tokyo-market", "breakfast", time.Time{}, 14)
	if err != nil {
		v.t.Fatal(err)
	}
	i := slices.IndexFunc(slots, func(s platform.SlotState) bool { return s.Status == partnerapi.StatusAvailable })
	return slots[i]
}

func (v visitor) reserve(name string) platform.Hold {
	v.t.Helper()
	hold, err := v.Default().Platform().Reserve(partnerapi.ReserveRequest{
		ProductID: "tokyo-market", OptionID: "breakfast", AvailabilityID: v.slot().AvailabilityID, ResellerReference: name,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return hold
}

// elements lists the elements of a page.
func elements(t *testing.T, page string) (all []*html.Node) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
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

// busy is a mock in which everything has happened that the page shows.
func busy(t *testing.T) visitor {
	t.Helper()
	v := start(t)
	v.reserve("b-1")
	booked := v.reserve("b-2")
	if _, err := v.Default().Platform().Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: booked.Code}); err != nil {
		t.Fatal(err)
	}
	v.Default().Platform().Release(v.reserve("b-3").Code)
	if _, err := v.Control.Arm(t.Context(), `{"name":"down","match":{"endpoint":"cancel"},"status":503}`); err != nil {
		t.Fatal(err)
	}
	v.partner("POST", "/bookings/x/cancel", "", 503)
	v.partner("GET", "/products?limit=1", "", 200)
	return v
}

func TestThePageShowsWhatIsInTheSandbox(t *testing.T) {
	t.Parallel()
	v := busy(t)
	holds := v.Default().Platform().Holds()
	page := v.see("/_mock/")
	for _, want := range []string{
		"Wed 1 Jul 2026", "12:00:00", ">frozen<", // the clock
		holds[0].Code, ">20:00<", "for b-1", // a hold
		v.Default().Platform().Bookings()[0].ID, ">RELEASED<", // a booking, and a hold that ended
		"/bookings/x/cancel", "Service Unavailable", "fault down", "fired 1 of 1", // an exchange, and what broke it
		"/products?limit=1",
		"adult-unit-with-own-id", "bare-401", // a defect, and a variant
		"Old Lisbon on foot", "Nobody holds", // the slots
	} {
		if want == "Nobody holds" {
			page = v.see("/_mock/?slot=" + v.firstSlot())
		}
		if !strings.Contains(page, want) {
			t.Errorf("want %q on the page", want)
		}
	}
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

func TestEmptyPanelsSayWhatToDo(t *testing.T) {
	t.Parallel()
	page := start(t).see("/_mock/")
	for _, want := range []string{"Nobody has called yet. Point a marketplace", "No seats are held", "Nothing is booked", "No fault is armed", "Set up where its integration is"} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q on the page", want)
		}
	}
}

func TestWhatCallersSendIsShownAsText(t *testing.T) {
	t.Parallel()
	v := start(t)
	const attack = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	body := fmt.Sprintf(`{"productId":"tokyo-market","optionId":"breakfast","availabilityId":%q,"units":[{"id":"unit-adult","quantity":1}],"resellerReference":%q,"contact":{"fullName":%q}}`, v.slot().AvailabilityID, attack, attack)
	v.partner("POST", "/bookings/reserve", body, 200)
	v.partner("GET", "/products?limit="+url.QueryEscape(attack), "", 400)
	v.partner("GET", "/products?x='%3Cscript%3E", "", 200)
	for number := range 3 {
		page := v.see(fmt.Sprintf("/_mock/?exchange=%d&slot=%s&product=%s", number+1, url.QueryEscape(attack), url.QueryEscape(attack)))
		scripts := 0
		for _, element := range elements(t, page) {
			if element.Data == "script" {
				scripts++
			}
			if element.Data == "img" || attribute(element, "onerror") != "" {
				t.Errorf("exchange %d: want text, got an element", number+1)
			}
		}
		if scripts != 1 {
			t.Errorf("exchange %d: want the page's own script only, got %d", number+1, scripts)
		}
	}
	if page := v.see("/_mock/?exchange=1"); !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("want to see what was sent")
	}
}

func TestNothingRunsInThePageButItsOwnScript(t *testing.T) {
	t.Parallel()
	v := busy(t)
	response, page := v.send("GET", "/_mock/?exchange=1", "", "")
	policy := response.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'", "connect-src 'self'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("want %s in the policy, got %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
		t.Errorf("want a policy without exceptions, got %s", policy)
	}
	for _, element := range elements(t, page) {
		if element.Data == "script" || element.Data == "style" {
			sum := sha256.Sum256([]byte(element.FirstChild.Data))
			if hash := element.Data + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, hash) {
				t.Errorf("want the page's %s in the policy, %s, got %s", element.Data, hash, policy)
			}
		}
		for _, a := range element.Attr {
			elsewhere := (a.Key == "src" || a.Key == "href") && strings.Contains(a.Val, "//") && !strings.HasPrefix(a.Val, "data:")
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || elsewhere {
				t.Errorf("want nothing that the policy forbids, got <%s %s=%q>", element.Data, a.Key, a.Val)
			}
		}
	}
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: want %s, got %q", name, want, got)
		}
	}
}

func TestEverythingOnThePageHasAName(t *testing.T) {
	t.Parallel()
	v := busy(t)
	for _, path := range []string{"/_mock/", "/_mock/?judged=yes&exchange=1&slot=" + v.firstSlot()} {
		page := elements(t, v.see(path))
		ids, labelled, count := map[string]bool{}, map[string]bool{}, map[string]int{}
		for _, element := range page {
			count[element.Data]++
			if id := attribute(element, "id"); id != "" && ids[id] {
				t.Errorf("there are two elements of the id %s", id)
			}
			ids[attribute(element, "id")] = true
			if element.Data == "label" && content(element) != "" {
				labelled[attribute(element, "for")] = true
			}
		}
		for _, element := range page {
			name := attribute(element, "aria-label")
			if by := attribute(element, "aria-labelledby"); by != "" && ids[by] {
				name = by
			}
			switch element.Data {
			case "a", "button", "summary", "th", "caption":
				name += content(element)
			case "input", "select", "textarea":
				within := element.Parent.Data == "label" && content(element.Parent) != ""
				if attribute(element, "type") == "hidden" || within || labelled[attribute(element, "id")] {
					continue
				}
			case "section", "nav", "article":
			default:
				if attribute(element, "tabindex") != "0" {
					continue
				}
			}
			if name == "" {
				t.Errorf("%s: want a name for <%s id=%q class=%q>", path, element.Data, attribute(element, "id"), attribute(element, "class"))
			}
		}
		if count["h1"] != 1 || count["main"] != 1 || count["header"] != 1 || count["nav"] != 1 {
			t.Errorf("want one of each landmark and one first heading, got %v", count)
		}
	}
}

func TestSlotsAreToldByWordsAndNotByColourAlone(t *testing.T) {
	t.Parallel()
	v := start(t)
	words := map[string]string{"available": "open", "limited": "few", "sold-out": "sold out", "closed": "closed", "freesale": "no limit"}
	for _, product := range catalog.Default().Products {
		for _, element := range elements(t, v.see("/_mock/?product="+product.ID)) {
			class := strings.Fields(attribute(element, "class"))
			if element.Data != "a" || len(class) != 2 || class[0] != "slot" {
				continue
			}
			status := strings.ReplaceAll(strings.ToUpper(class[1]), "-", "_")
			if word := words[class[1]]; word == "" || !strings.HasSuffix(content(element), word) || !strings.Contains(attribute(element, "aria-label"), status) {
				t.Errorf("want a slot that is %s told in words, got %q, %q", class[1], content(element), attribute(element, "aria-label"))
			}
		}
	}
}

// form finds the form of a call on a page.
func form(t *testing.T, page, id string) (*html.Node, url.Values) {
	t.Helper()
	for _, element := range elements(t, page) {
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
	element, values := form(v.t, v.see(path), id)
	for name, value := range entered {
		values.Set(name, value)
	}
	at, _, _ := strings.Cut(path, "?")
	return v.send("POST", at+attribute(element, "action"), formKind, values.Encode())
}

func TestFormsWorkWithoutScriptAndLeadBackToTheirPage(t *testing.T) {
	t.Parallel()
	v := start(t)
	slot := v.slot()
	path := "/_mock/?product=tokyo-market&slot=" + slot.AvailabilityID
	response, text := v.submit(path, "slot-sell-out", nil)
	if response.StatusCode != 303 || response.Header.Get("Location") != "?product=tokyo-market&slot="+slot.AvailabilityID {
		t.Fatalf("want to be led back, got %s %s: %.300s", response.Status, response.Header.Get("Location"), text)
	}
	if got, _ := v.Default().Platform().SlotStatus("tokyo-market", "breakfast", slot.AvailabilityID); got != partnerapi.StatusSoldOut {
		t.Errorf("want the slot sold out, got %s", got)
	}
	v.submit(path, "slot-vacancies", map[string]string{"number:vacancies": "5"})
	if got, _ := v.Default().Platform().Slot("tokyo-market", "breakfast", slot.AvailabilityID); got.Vacancies != 5 {
		t.Errorf("want 5 seats left, got %+v", got)
	}
	v.submit(path, "slot-close", nil)
	v.submit(path, "slot-open", nil)
	if got, _ := v.Default().Platform().SlotStatus("tokyo-market", "breakfast", slot.AvailabilityID); got != partnerapi.StatusAvailable {
		t.Errorf("want the slot on sale again, got %s", got)
	}
	v.submit("/_mock/", "clock-advance", map[string]string{"text:advance": "90m"})
	if got := v.Default().Clock().Now(); !got.Equal(noon.Add(90 * time.Minute)) {
		t.Errorf("want the clock advanced, got %s", got)
	}
	v.submit("/_mock/", "clock-toggle", nil)
	if v.Default().Clock().Frozen() {
		t.Error("want the clock to run")
	}
	v.submit("/_mock/", "defects-age-limit-is-text", nil)
	if page := v.see("/_mock/"); !strings.Contains(page, "Take off") {
		t.Error("want a defect applied")
	}
	v.submit("/_mock/", "defects-age-limit-is-text", nil)
	if page := v.see("/_mock/"); strings.Contains(page, "Take off") {
		t.Error("want the defect taken off")
	}
}

func TestEveryPresetCanBeArmed(t *testing.T) {
	t.Parallel()
	v := start(t)
	presets := 0
	for _, element := range elements(t, v.see("/_mock/")) {
		if id := attribute(element, "id"); element.Data == "form" && strings.HasPrefix(id, "arm-") && id != "arm-own" {
			presets++
			if response, text := v.submit("/_mock/", id, nil); response.StatusCode != 303 {
				t.Errorf("%s: want it armed, got %s: %.300s", id, response.Status, text)
			}
		}
	}
	if armed := len(v.Default().Faults().Faults()); armed != presets || presets == 0 {
		t.Errorf("want %d faults armed, got %d", presets, armed)
	}
}

func TestARefusedFormSaysWhyWhereItIsAndKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, c := range []struct{ id, field, entered, words string }{
		{"clock-advance", "text:advance", "soon", "advance: want a duration"},
		{"clock-set", "text:set", "<b>", "set: "},
		{"create", "text:name", "Not A Name", "name: want 1 to 63"},
		{"arm-own", "raw:fault", "stats: 500", `unknown field "stats"`},
		{"create", "number:seed", "many", `seed: want a whole number, got "many"`},
	} {
		response, page := v.submit("/_mock/", c.id, map[string]string{c.field: c.entered})
		if response.StatusCode != 422 {
			t.Errorf("%s: want 422, got %s", c.id, response.Status)
			continue
		}
		element, values := form(t, page, c.id)
		if text := content(element); !strings.Contains(text, c.words) || strings.Count(page, `class="refusal"`) != 1 {
			t.Errorf("%s: want %q in the form and nowhere else, got %s", c.id, c.words, text)
		}
		if got := values.Get(c.field); c.id != "arm-own" && got != c.entered || c.id == "arm-own" && !strings.Contains(content(element), c.entered) {
			t.Errorf("%s: want what was entered kept, got %q", c.id, got)
		}
	}
}

func TestASecretThatWasEnteredIsNotShownAgain(t *testing.T) {
	t.Parallel()
	v := start(t)
	response, page := v.submit("/_mock/", "webhooks-set", map[string]string{"text:url": "ftp://nowhere", "secret:secret": "a-secret-of-webhooks"})
	if response.StatusCode != 422 || strings.Contains(page, "a-secret-of-webhooks") || !strings.Contains(page, "ftp://nowhere") {
		t.Errorf("want the address again and not the secret, got %s", response.Status)
	}
}

func TestFormsMakeNoOtherCallsThanChanges(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, body := range []string{
		"", "method=GET&path=/journal/events", "method=POST&path=clock", "method=TRACE&path=/clock", "method=POST&path=//evil.example/",
		"method=POST&path=/", "method=POST&path=/../../products", "method=POST&path=/clock%3f%0d%0a", "method=POST&path=/nothing", "method=DELETE&path=/clock",
	} {
		if response, text := v.send("POST", "/_mock/", formKind, body); response.StatusCode != 422 || !strings.Contains(text, `role="alert"`) {
			t.Errorf("%s: want it refused on the page, got %s: %.200s", body, response.Status, text)
		}
	}
	if response, _ := v.send("POST", "/_mock/", formKind, "x="+strings.Repeat("x", 5<<20)); response.StatusCode != 400 {
		t.Errorf("want a form that is too large refused, got %s", response.Status)
	}
	if response, _ := v.send("POST", "/_mock/", formKind, "x=%zz"); response.StatusCode != 400 {
		t.Errorf("want a broken form refused, got %s", response.Status)
	}
}

func TestEachControlShowsTheCurlLineThatDoesTheSame(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.submit("/_mock/", "create", map[string]string{"text:name": "mine"})
	for path, lines := range map[string]map[string]string{
		"/_mock/": {
			"clock-toggle":  `curl --data-binary '{"freeze":false}' '` + v.URL + `/_mock/clock'`,
			"clock-advance": `curl --data-binary '{"advance":"5m"}' '` + v.URL + `/_mock/clock'`,
			"clock-next":    `curl -X POST '` + v.URL + `/_mock/clock/next'`,
			"journal-clear": `curl -X DELETE '` + v.URL + `/_mock/journal'`,
		},
		"/s/mine/_mock/?product=tokyo-market&slot=" + v.slot().AvailabilityID: {
			"slot-sell-out": `curl -X PATCH --data-binary '{"availabilityId":"` + v.slot().AvailabilityID + `","optionId":"breakfast","productId":"tokyo-market","status":"SOLD_OUT"}' '` + v.URL + `/s/mine/_mock/slots'`,
			"reset-mine":    `curl -X POST '` + v.URL + `/s/mine/_mock/sandboxes/mine/reset'`,
		},
	} {
		page := v.see(path)
		for id, want := range lines {
			element, _ := form(t, page, id)
			if text := content(element); !strings.Contains(text, want) {
				t.Errorf("%s: want %s, got %s", id, want, text)
			}
		}
		for _, element := range elements(t, page) {
			if element.Data == "form" && attribute(element, "method") == "post" && !strings.Contains(content(element), "curl") {
				t.Errorf("want the curl line of %s", attribute(element, "id"))
			}
		}
	}
	guarded := start(t, func(o *mockpartner.Options) { o.ControlToken = "a-control-token" })
	request, err := http.NewRequestWithContext(t.Context(), "GET", guarded.URL+"/_mock/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer a-control-token")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || strings.Contains(string(page), "a-control-token") || !strings.Contains(string(page), "Bearer $MOCKPARTNER_CONTROL_TOKEN") {
		t.Errorf("want lines with the token's variable and without the token, %v", err)
	}
}

func TestASandboxHasItsOwnConsoleAndLeavesItForTheRootWhenItIsDeleted(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.submit("/_mock/", "create", map[string]string{"text:name": "mine", "text:now": "2027-01-01T00:00:00Z", "number:seed": "18446744073709551615"})
	box, ok := v.Sandbox("mine")
	if !ok || box.Platform().Seed() != 1<<64-1 {
		t.Fatal("want a sandbox with its seed")
	}
	if page := v.see("/s/mine/_mock/"); !strings.Contains(page, "Fri 1 Jan 2027") || !strings.Contains(page, `href="/_mock/"`) {
		t.Error("want the sandbox's clock, and the way to the others")
	}
	v.submit("/s/mine/_mock/", "clock-advance", map[string]string{"text:advance": "1h"})
	if !v.Default().Clock().Now().Equal(noon) || box.Clock().Now().Hour() != 1 {
		t.Error("want the sandbox's clock moved alone")
	}
	if response, _ := v.submit("/s/mine/_mock/", "delete-mine", nil); response.Header.Get("Location") != "/_mock/" {
		t.Errorf("want to be led to the root, got %s", response.Header.Get("Location"))
	}
	if _, ok := v.Sandbox("mine"); ok {
		t.Error("want the sandbox gone")
	}
}

func TestOfALargeBodyTheBeginningIsShown(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.partner("POST", "/bookings/reserve", `{"x":"`+strings.Repeat("é", 50_000)+`"}`, 400)
	v.partner("POST", "/bookings/reserve", "\xff\xfe", 400)
	if page := v.see("/_mock/?exchange=1"); !strings.Contains(page, "The first 65536 of 100008 bytes.") || len(page) > 500_000 {
		t.Errorf("want a page with the beginning, got %d bytes", len(page))
	}
	if page := v.see("/_mock/?exchange=2"); !strings.Contains(page, "2 bytes that are no text") {
		t.Error("want bytes that are no text told")
	}
}

func TestTheCallerIsJudgedWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.partner("GET", "/nowhere", "", 404)
	if page := v.see("/_mock/"); strings.Contains(page, "caller-rules") {
		t.Error("want no verdict before it is asked for")
	}
	if page := v.see("/_mock/?judged=yes"); !strings.Contains(page, `id="caller-rules"`) || !strings.Contains(page, ">broken<") {
		t.Error("want the verdict with what is broken")
	}
}

func TestWhatAQueryCannotChooseIsTheDefault(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, query := range []string{"?exchange=x", "?exchange=999", "?from=x", "?from=9999-99-99", "?product=none&option=none&slot=none", "?product=tokyo-market&option=none"} {
		if page := v.see("/_mock/" + query); !strings.Contains(page, `id="grid"`) {
			t.Errorf("%s: want the slots", query)
		}
	}
}
