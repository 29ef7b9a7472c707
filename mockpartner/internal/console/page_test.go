package console_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

func TestThePageShowsWhatIsInTheSandbox(t *testing.T) {
	t.Parallel()
	v := newBusyMock(t)
	holds := v.Default().Platform().Holds()
	page := v.see("/_mock/?probes=yes&slot=" + v.firstSlot())
	for _, want := range []string{
		"Wed 1 Jul 2026", "12:00:00", ">frozen<", // the clock
		holds[0].Code, ">20:00<", "for b-1", // a hold
		v.Default().Platform().Bookings()[0].ID, ">RELEASED<", // a booking, and a hold that ended
		"/bookings/x/cancel", "Service Unavailable", "fault down", "fired 1 of 1", // an exchange, and what broke it
		"/products?limit=1",
		"adult-unit-with-own-id", "a-fleet", // a defect, and a variant
		"Old Lisbon on foot", "No holds or bookings", // the slots, and one of them
	} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q on the page", want)
		}
	}
}

func TestEmptyPanelsSayWhatToDo(t *testing.T) {
	t.Parallel()
	page := start(t).see("/_mock/")
	for _, want := range []string{"No calls yet. Point a marketplace", "No seats are held", "Nothing is booked", "No fault is armed", "Enter the address and the secret"} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q on the page", want)
		}
	}
}

func TestTextFromCallersIsEscaped(t *testing.T) {
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
	v := newBusyMock(t)
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
	v := newBusyMock(t)
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

func TestSlotsAreMarkedByWordsAndNotByColourAlone(t *testing.T) {
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
				t.Errorf("Expected a slot that is %s to be reported in words, received %q, %q", class[1], content(element), attribute(element, "aria-label"))
			}
		}
	}
}

func TestALargeBodyIsShownFromItsBeginning(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.partner("POST", "/bookings/reserve", `{"x":"`+strings.Repeat("é", 50_000)+`"}`, 400)
	v.partner("POST", "/bookings/reserve", "\xff\xfe", 400)
	if page := v.see("/_mock/?exchange=1"); !strings.Contains(page, "The first 65536 of 100008 bytes.") || len(page) > 600_000 {
		t.Errorf("want a page with the beginning, got %d bytes", len(page))
	}
	if page := v.see("/_mock/?exchange=2"); !strings.Contains(page, "2 bytes that are not text") {
		t.Error("Expected a note that the bytes are not text")
	}
}

func TestTheNextHoldsToExpireAreListedAndCounted(t *testing.T) {
	t.Parallel()
	v := start(t)
	slots, err := v.Default().Platform().Calendar("paris-audio", "download", time.Time{}, 2) // without limit
	if err != nil || len(slots) == 0 {
		t.Fatalf("want slots, got %v, %v", slots, err)
	}
	slot := slots[len(slots)-1]
	for range 120 {
		if _, err := v.Default().Platform().Reserve(partnerapi.ReserveRequest{
			ProductID: slot.ProductID, OptionID: slot.OptionID, AvailabilityID: slot.AvailabilityID,
			Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
	const expiring = `class="figures when" data-expires="`
	address, pending := "/_mock/?product="+slot.ProductID+"&slot="+slot.AvailabilityID, 8
	page := v.see(address)
	if !strings.Contains(page, `<span class="count">120</span>`) || strings.Count(page, "Show more: 6 of 120 are listed") != 2 {
		t.Error("want all counted, and links that show more")
	}
	if listed := strings.Count(page, expiring) - pending; listed != 12 {
		t.Errorf("want 6 holds in the list and 6 at the slot, got %d", listed)
	}
	if listed := strings.Count(v.see(address+"&all=holds+sold"), expiring) - pending; listed != 100 {
		t.Errorf("want 50 holds in the list and 50 at the slot, got %d", listed)
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

func TestUnknownValuesInAQueryShowTheDefaultPage(t *testing.T) {
	t.Parallel()
	v := start(t)
	for _, query := range []string{"?exchange=x", "?exchange=999", "?from=x", "?from=9999-99-99", "?product=none&option=none&slot=none", "?product=tokyo-market&option=none"} {
		if page := v.see("/_mock/" + query); !strings.Contains(page, `id="grid"`) {
			t.Errorf("%s: want the slots", query)
		}
	}
}

// had are the blocks of a page, as its script reports them.
func had(t *testing.T, page string) string {
	t.Helper()
	var all []string
	for _, element := range elements(t, page) {
		if version := attribute(element, "data-live"); version != "" {
			all = append(all, attribute(element, "id")+"."+version)
		}
	}
	if len(all) < 10 {
		t.Fatalf("want blocks with versions, got %v", all)
	}
	return url.QueryEscape(strings.Join(all, " "))
}

func TestAPageIsSmallAndAnEventIsSmaller(t *testing.T) {
	t.Parallel()
	v := newBusyMock(t)
	for i := range 150 {
		v.partner("GET", fmt.Sprintf("/products?limit=%d", i+2), "", 200)
	}
	for i := range 12 {
		v.reserve(fmt.Sprint("shop-", i))
	}
	compressed := func(path string) int {
		request, err := http.NewRequestWithContext(t.Context(), "GET", v.URL+path, nil)
		check(t, err)
		request.Header.Set("Accept-Encoding", "gzip") // so that the client does not unpack it
		response, err := http.DefaultTransport.RoundTrip(request)
		check(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: want it compressed, got %v, %v", path, response.Header, err)
		}
		return len(body)
	}
	for _, path := range []string{"/_mock/?probes=yes", "/_mock/?slot=" + v.firstSlot()} {
		page := v.see(path)
		if len(page) > 80_000 {
			t.Errorf("%s: want at most 80 kB, got %d bytes", path, len(page))
		}
		if packed := compressed(path); packed > 20_000 {
			t.Errorf("%s: want at most 20 kB compressed, got %d bytes", path, packed)
		}
		part := path + "&part=" + had(t, page)
		if none := v.see(part); none != "" {
			t.Errorf("%s: want nothing while nothing changes, got %s", path, none)
		}
		v.partner("POST", "/bookings/confirm", `{"reservationConfirmationCode":"`+v.reserve("new").Code+`"}`, 200)
		if changed := v.see(part); len(changed) > 20_000 || !strings.Contains(changed, "/bookings/confirm") || strings.Contains(changed, `id="grid"`) && strings.Contains(path, "slot=") {
			t.Errorf("%s: want the changed blocks only, got %d bytes", path, len(changed))
		}
		if packed := compressed(part); packed > 5_000 {
			t.Errorf("%s: want at most 5 kB for an event, got %d bytes", path, packed)
		}
	}
}

func TestDefectsAreFoundWithoutScripts(t *testing.T) {
	t.Parallel()
	v := start(t)
	v.submit("/_mock/", "defects-age-limit-is-text", nil)
	page := v.see("/_mock/?defects=AFTER+release&variants=nothing-like-this")
	for _, want := range []string{`id="defects-age-limit-is-text"`, "Take off", "Nothing has these words"} {
		if !strings.Contains(page, want) {
			t.Errorf("want %q on the page", want)
		}
	}
	if strings.Contains(page, `id="defects-adult-unit-with-own-id"`) {
		t.Error("want only what is applied and what has the words")
	}
	few, full := v.see("/_mock/"), v.see("/_mock/?all=defects+variants")
	if got, want := strings.Count(full, `<li class="row`), strings.Count(few, `<li class="row`)+100; got < want {
		t.Errorf("want at least %d in full, got %d", want, got)
	}
}
