package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/internal/axetest"
	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// tab is a page of a mock's console that is open in the browser.
type tab struct {
	visitor
	*browsertest.Tab
}

func open(t *testing.T, browser context.Context, v visitor, path string) tab {
	t.Helper()
	o := tab{v, browsertest.Open(t, browser, v.URL)}
	o.GoTo(path)
	return o
}

// status is what availability says of a slot.
func (v visitor) status(s client.SlotState) partnerapi.SlotStatus {
	v.t.Helper()
	day := s.Start.Format(partnerapi.DateLayout)
	_, text := v.send("POST", "/availability", "application/json", fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`, s.ProductID, s.OptionID, day, day))
	var slots []partnerapi.Slot
	if err := json.Unmarshal([]byte(text), &slots); err != nil {
		v.t.Fatalf("%v: %s", err, text)
	}
	for _, slot := range slots {
		if slot.ID == s.AvailabilityID {
			return slot.Status
		}
	}
	v.t.Fatalf("want the slot %s, got %s", s.AvailabilityID, text)
	return ""
}

// book sends a reserve for the slot, and expects the status.
func (v visitor) book(s client.SlotState, want int) {
	v.t.Helper()
	v.partner("POST", "/bookings/reserve", fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[{"id":"unit-adult","quantity":1}]}`, s.ProductID, s.OptionID, s.AvailabilityID), want)
}

// requireAccessible expects the page to be so. Of some 200 defects, whose rows are alike, a few are
// seen: axe-core takes seconds for all.
func (o tab) requireAccessible(axe string) {
	o.T.Helper()
	browsertest.Value[any](o.Tab, `document.querySelectorAll("#curl-list").forEach(list => [...list.children].slice(5).forEach(row => row.remove()))`)
	axetest.Check(o.Tab, axe)
}

const tokyo = "/_mock/?product=tokyo-market"

func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)

	t.Run("a click on a slot and one more sell it out", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), tokyo)
		slot := o.slot()
		o.Click("#s-" + slot.AvailabilityID)
		o.Shows("#slots-slot .facts", "AVAILABLE")
		o.See(`document.activeElement.id === "slot-title"`)
		o.Click("#slot-sell-out-go")
		o.Shows("#slots-slot .facts", "SOLD_OUT")
		o.Shows("#s-"+slot.AvailabilityID+".sold-out", "sold out")
		if got := o.status(slot); got != partnerapi.StatusSoldOut {
			t.Errorf("want availability to say so, got %s", got)
		}
		o.RequireNoProblems()
	})

	t.Run("the keyboard alone does the same", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), tokyo)
		slot := o.slot()
		o.Press(kb.Tab, `document.activeElement.className === "skip"`)
		o.Press(kb.Tab, fmt.Sprintf(`document.activeElement.id === %q`, "s-"+slot.AvailabilityID))
		o.Keys(kb.Enter)
		o.See(`document.activeElement.id === "slot-title"`)
		o.Press(kb.Tab, `document.activeElement.id === "slot-sell-out-go"`)
		o.See(`getComputedStyle(document.activeElement).outlineStyle === "solid"`)
		o.Keys(kb.Enter)
		o.Shows("#slots-slot .facts", "SOLD_OUT")
		o.Shows("#status", "Done: Sell out")
		o.See(`document.activeElement.id === "slot-title"`) // the button is off now
		if got := o.status(slot); got != partnerapi.StatusSoldOut {
			t.Errorf("want availability to say so, got %s", got)
		}
		o.RequireNoProblems()
	})

	t.Run("a hold comes by itself, counts down, and ends when the clock has passed it", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Shows("#link", "live")
		o.book(o.slot(), 200)
		code := o.Default().Platform().Holds()[0].Code
		o.Shows("#holds-live", code)
		o.Shows("#holds-live .when", "20:00")
		o.Click("#clock-toggle-go")
		o.Shows("#clock-face .pill", "running")
		o.See(`/1\d:\d\d/.test(document.querySelector("#holds-live .when").textContent)`) // it counts down
		o.Click("#clock-step-hold-go")
		o.Shows("#holds-ended .EXPIRED", "EXPIRED")
		o.Shows("#holds-ended-list", code)
		o.See(`!document.querySelector("#holds-live")`)
		o.RequireNoProblems()
	})

	t.Run("a fault is armed, fires, and is shown", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Shows("#link", "live")
		o.Click("#arm-reserve-fails-go")
		o.Shows("#faults-armed", "not fired yet")
		o.book(o.slot(), 500)
		o.Shows("#exchanges-list .fault", "fault fault-1")
		o.Shows("#faults-armed", "fired 1 of 1")
		o.Shows("#status", "New exchange: POST /bookings/reserve")
		o.Click("#x-1")
		o.Shows("#exchanges-list .body", "This is the fault fault-1.")
		o.Click("#disarm-fault-1-go")
		o.Shows("#faults-armed", "No fault is armed")
		o.RequireNoProblems()
	})

	t.Run("one click makes the next confirm fail as the last one did", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Shows("#link", "live")
		const confirm = `{"reservationConfirmationCode":"unknown"}`
		o.partner("POST", "/bookings/confirm", confirm, 400)
		o.Click("#repeat-1-go")
		o.Shows("#status", "Done: Repeat answer")
		o.Shows("#faults-armed", "not fired yet")
		o.partner("POST", "/bookings/confirm", confirm, 400)
		o.Shows("#exchanges-list .fault", "fault fault-1")
		o.Shows("#faults-armed .used-up", "used up")
		o.Click("#x-2")
		o.Shows("#exchanges-list .body", "There is no reservation with the code")
		o.RequireNoProblems()
	})

	t.Run("each of three tasks takes at most three clicks", func(t *testing.T) {
		t.Parallel()
		v := start(t)
		v.partner("GET", "/products?limit=1", "", 200)
		v.partner("POST", "/bookings/confirm", `{"reservationConfirmationCode":"unknown"}`, 400)
		v.partner("GET", "/products?limit=2", "", 200)
		o := open(t, b, v, "/_mock/?probes=yes")
		o.Shows("#link", "live")
		browsertest.Value[any](o.Tab, `window.clicked = 0, addEventListener("click", event => { if (event.isTrusted && event.detail) clicked++ }, true)`)
		took := func(task string, do func()) {
			do()
			if got := browsertest.Value[int](o.Tab, `clicked`); got > 3 {
				t.Errorf("%s: want at most three clicks, got %d", task, got)
			}
			browsertest.Value[any](o.Tab, `clicked = 0`)
		}
		took("hide probes", func() {
			o.Shows("#exchanges-list", "/products?limit=1")
			o.Click("#exchanges-probes")
			o.See(`!document.querySelector("#exchanges-list").textContent.includes("limit=1")`)
		})
		took("make the next confirm fail as the last one did", func() {
			o.Click("#repeat-2-go")
			o.Shows("#faults-armed", "not fired yet")
			o.partner("POST", "/bookings/confirm", `{"reservationConfirmationCode":"another"}`, 400)
			o.Shows("#exchanges-list .fault", "fault fault-1")
		})
		took("see why the caller was judged broken", func() {
			o.Click("#caller-judge")
			o.Shows("#caller-rules .refusal", "GET /products?limit=2: expected no query")
			o.Click("#caller-rules .refusal a")
			o.Shows("#exchanges-list .open", "/products?limit=2")
		})
		o.RequireNoProblems()
	})

	t.Run("faults are in sight on a wide screen, the sections' links stay, and only the page scrolls", func(t *testing.T) {
		t.Parallel()
		v := newBusyMock(t)
		o := open(t, b, v, "/_mock/?judged=yes&exchange=1&slot="+v.firstSlot())
		o.Shows("#link", "live")
		for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
			o.Do(chromedp.EmulateViewport(size[0], size[1]))
			o.See(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, size[0], size[1]))
			if size[0] > 1000 {
				o.Is(`String(document.querySelector("#arm-reserve-refused-go").getBoundingClientRect().bottom < innerHeight)`, "true")
			}
			o.Is(`[...document.querySelectorAll("main *:not(pre, textarea)")].filter(e => /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1).map(e => e.id).join()`, "")
			o.Click(`nav a[href="#sandboxes"]`)
			o.See(`document.querySelector("#sandboxes").getBoundingClientRect().top < innerHeight`)
			o.Is(`String(document.querySelector("nav a").getBoundingClientRect().top >= 0)`, "true")
			o.Click(`nav a[href="#faults"]`)
			o.See(`(f => f.top >= document.querySelector("nav").getBoundingClientRect().bottom - 1 && f.top < innerHeight / 2)(document.querySelector("#faults").getBoundingClientRect())`)
		}
		o.RequireNoProblems()
	})

	t.Run("a click is not lost while the page changes", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Shows("#link", "live")
		const confirm, fetched = `{"reservationConfirmationCode":"unknown"}`, `performance.getEntriesByType("resource").filter(e => e.initiatorType === "fetch").length`
		o.partner("POST", "/bookings/confirm", confirm, 400)
		o.Shows("#repeat-1-go", "Repeat answer")
		o.Do(chromedp.ScrollIntoView(chromedp.CSS("#repeat-1-go")))
		var at []float64
		mouse := func(pressed bool) {
			does := chromedp.MouseReleased
			if pressed {
				does = chromedp.MousePressed
			}
			o.Do(chromedp.MouseEvent(does, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
		}
		for { // until it no longer moves, because the page has loaded
			at = browsertest.Value[[]float64](o.Tab, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector("#repeat-1-go").getBoundingClientRect())`)
			if mouse(true); browsertest.Value[bool](o.Tab, `document.querySelector("#repeat-1-go").matches(":active")`) {
				break
			}
			mouse(false)
		}
		before := browsertest.Value[int](o.Tab, fetched)
		o.partner("POST", "/bookings/confirm", confirm, 400)
		o.See(fmt.Sprintf(`%s > %d`, fetched, before+1)) // the first of them is on the page
		mouse(false)
		o.Shows("#faults-armed", "not fired yet")
		o.See(`!!document.querySelector("#x-2")`)
		o.RequireNoProblems()
	})

	t.Run("two clicks show why the caller was judged broken", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Shows("#link", "live")
		o.partner("GET", "/products?limit=2", "", 200)
		o.Click("#caller-judge")
		o.Shows("#caller-rules .refusal", "GET /products?limit=2: expected no query")
		o.Shows("#caller-verdict", "1 rule broken")
		o.Click("#caller-rules .refusal a")
		o.Shows("#exchanges-list .open", "/products?limit=2")
		o.RequireNoProblems()
	})

	t.Run("probes are hidden, and the list is narrowed by endpoint, status, fault and text", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/?endpoint=none&status=9xx")
		o.Shows("#link", "live")
		o.partner("GET", "/products?limit=1", "", 200)
		o.partner("GET", "/products", "", 200)
		o.partner("DELETE", "/bookings/lost", "", 200)
		o.partner("POST", "/bookings/confirm", "{}", 400)
		o.Shows("#exchanges-shown", "1 probe hidden")
		shown := func(numbers string) {
			t.Helper()
			o.See(fmt.Sprintf(`[...document.querySelectorAll("#exchanges-list .number")].map(n => n.textContent).join() === %q`, numbers))
		}
		shown("4,3,2")
		o.Click("#exchanges-probes")
		shown("4,3,2,1")
		o.Click("#exchanges-probes")
		shown("4,3,2")
		choose := func(id, value string) {
			t.Helper()
			browsertest.Value[any](o.Tab, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); })()`, id, value))
		}
		choose("exchanges-endpoint", "release")
		shown("3")
		choose("exchanges-endpoint", "")
		shown("4,3,2")
		choose("exchanges-status", "4xx")
		shown("4")
		choose("exchanges-fault", "*")
		o.Shows("#exchanges-shown", "No exchange matches this filter")
		o.GoTo("/_mock/")
		o.Do(chromedp.SendKeys(chromedp.ID("exchanges-text"), "lost"+kb.Enter))
		shown("3")
		o.Is(`location.search`, "?text=lost")
		o.RequireNoProblems()
	})

	t.Run("the menu of commands has each button, and the open exchange", func(t *testing.T) {
		t.Parallel()
		v := start(t)
		v.partner("POST", "/bookings/confirm", `{"reservationConfirmationCode":"it's"}`, 400)
		o := open(t, b, v, "/_mock/?exchange=1")
		o.Shows("#exchange-curl", `curl -H "Authorization: Bearer $MOCKPARTNER_AUTH_KEY" -H 'Content-Type: application/json' -X POST --data-binary '{"reservationConfirmationCode":"it'\''s"}' '`+v.URL+`/bookings/confirm'`)
		o.Click("#curl")
		o.See(`document.activeElement.id === "curl-title"`)
		o.Do(chromedp.SendKeys(chromedp.ID("curl-filter"), "repeat answer"))
		o.See(`document.querySelectorAll("#curl-list > li:not([hidden])").length === 1`)
		o.Shows("#repeat-1-curl", "/_mock/faults/from/1")
		o.Fits(390, 1440)
		o.requireAccessible(axetest.Source(t))
		o.RequireNoProblems()
	})

	t.Run("a defect is applied and taken off again", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.Do(chromedp.SendKeys(chromedp.ID("defects-filter"), "age-limit-is"))
		o.Click("#defects-age-limit-is-text-go")
		o.Shows("#defects-list .applied", "Take off")
		if _, products := o.send("GET", "/products", "", ""); !strings.Contains(products, `"minAge":"`) {
			t.Error("want ages sent as text")
		}
		o.Click("#defects-age-limit-is-text-go")
		o.See(`!document.querySelector("#defects-list .applied")`)
		o.RequireNoProblems()
	})

	t.Run("a refusal is shown at its form, which keeps the input", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/?curl=yes")
		o.Do(chromedp.SendKeys(chromedp.ID("arm-own-fault"), "stats: 500"))
		o.Shows("#arm-own-curl", `--data-binary 'stats: 500' 'http://`)
		o.Click("#clock-toggle-go") // elsewhere on the page
		o.Shows("#clock-face .pill", "running")
		o.Is(`document.querySelector("#arm-own-fault").value`, "stats: 500")
		o.Click("#arm-own-go")
		o.Shows("#arm-own .refusal", `unknown field "stats"`)
		o.Is(`document.querySelector("#arm-own-fault").value`, "stats: 500")
		o.Do(chromedp.SetValue(chromedp.ID("arm-own-fault"), "status: 500"))
		o.Click("#arm-own-go")
		o.Shows("#faults-armed", "not fired yet")
		o.Is(`document.querySelector("#arm-own-fault").value`, "")
	})

	t.Run("an event is a few bytes, and lists are shown in full where a reader asks for it", func(t *testing.T) {
		t.Parallel()
		v := newBusyMock(t)
		for i := range 20 {
			v.partner("GET", fmt.Sprintf("/products?limit=%d", i+2), "", 200)
		}
		o := open(t, b, v, "/_mock/")
		o.Shows("#link", "live")
		const fetched = `performance.getEntriesByType("resource").filter(e => e.initiatorType === "fetch")`
		o.See(fetched + `.length > 0`)
		o.partner("POST", "/bookings/confirm", "{}", 400)
		o.Shows("#exchanges-list", "/bookings/confirm")
		o.Is(`String(Math.max(...`+fetched+`.map(e => e.encodedBodySize)) < 5000)`, "true")
		o.See(`document.querySelectorAll("#exchanges-list > li").length === 10`)
		o.Click("#exchanges-more")
		o.See(`document.querySelectorAll("#exchanges-list > li").length === 22 && document.activeElement.id === "exchanges-more"`)
		o.Shows("#exchanges-more", "Show fewer")
		o.RequireNoProblems()
	})

	t.Run("a browser signs in where a token is wanted", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		o := open(t, b, start(t, func(o *mockpartner.Options) { o.ControlToken = "a-control-token" }), "/_mock/")
		o.Do(chromedp.SendKeys(chromedp.ID("token"), "another"+kb.Enter))
		o.Shows("#wrong", "token")
		o.Fits(390, 1440)
		o.Is(`String(document.querySelector("#token").clientWidth > 300)`, "true") // one column, on a wide screen too
		axetest.Check(o.Tab, axe)
		o.Do(chromedp.SendKeys(chromedp.ID("token"), "a-control-token"+kb.Enter))
		o.Do(chromedp.WaitVisible(chromedp.ID("clock-face")))
		o.Shows("#link", "live")
		o.Is(`document.cookie`, "")
		o.Is(`location.search`, "")
	})

	t.Run("the page is accessible, and no wider than the window", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		v := newBusyMock(t)
		o := open(t, b, v, "/_mock/?judged=yes&exchange=1&slot="+v.firstSlot())
		o.Shows("#link", "live")
		o.Fits(360, 700, 1100, 1600)
		o.requireAccessible(axe)
		o.RequireNoProblems()
	})
}
