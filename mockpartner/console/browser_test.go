package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/browsertest"
	"partnerkit.dev/mockpartner/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// patience is how long a test waits for what a page is to show.
const patience = 30 * time.Second

// tab is a page of a mock's console that is open in the browser.
type tab struct {
	visitor
	ctx context.Context

	mu       sync.Mutex
	problems []string // that the page has met
}

func open(t *testing.T, browser context.Context, v visitor, path string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	o := &tab{visitor: v, ctx: ctx}
	if err := chromedp.Listen(ctx, o.note); err != nil {
		t.Fatal(err)
	}
	o.do(chromedp.Navigate(v.URL + path))
	return o
}

func (o *tab) note(event any) {
	problem := ""
	switch event := event.(type) {
	case *log.EventEntryAdded:
		problem = fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL)
	case *runtime.EventExceptionThrown:
		problem = "exception: " + event.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console.%s", event.Type)
	default:
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.problems = append(o.problems, problem)
}

// quiet wants the page to have met no problem: no error, no exception, nothing
// that the policy forbids.
func (o *tab) quiet() {
	o.t.Helper()
	o.is(`document.readyState`, "complete") // all that came before has been noted
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.problems) > 0 {
		o.t.Errorf("want no problem in the page, got %q", o.problems)
	}
}

func (o *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	o.t.Helper()
	if err := chromedp.Do(o.ctx, steps...); err != nil {
		o.t.Fatalf("%v\n%s", err, o.text())
	}
}

// text is what the page shows, for the message of a failure.
func (o *tab) text() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

func (o *tab) click(selector string) {
	o.t.Helper()
	o.do(chromedp.Click(chromedp.CSS(selector)))
}

// see waits until the page shows something.
func (o *tab) see(expression string) {
	o.t.Helper()
	_, err := chromedp.Run(o.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(20*time.Millisecond)))
	if err != nil {
		o.t.Fatalf("want to see %s, %v:\n%s", expression, err, o.text())
	}
}

// shows waits until an element has the text.
func (o *tab) shows(selector, text string) {
	o.t.Helper()
	o.see(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

func value[T any](o *tab, expression string) T {
	o.t.Helper()
	got, err := chromedp.Run(o.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		o.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

func (o *tab) is(expression, want string) {
	o.t.Helper()
	if got := value[string](o, expression); got != want {
		o.t.Fatalf("%s: want %q, got %q\n%s", expression, want, got, o.text())
	}
}

// press presses a key until the page is as it should be, as often as there are
// things to come by.
func (o *tab) press(key, until string) {
	o.t.Helper()
	for range 300 {
		o.do(chromedp.KeyEvent(key))
		if value[bool](o, until) {
			return
		}
	}
	o.t.Fatalf("want %s by the keyboard, came to %s", until, value[string](o, `document.activeElement.outerHTML`))
}

// status is what availability says of a slot.
func (v visitor) status(s platform.SlotState) partnerapi.SlotStatus {
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

// book sends a reserve for the slot, and wants the status.
func (v visitor) book(s platform.SlotState, want int) {
	v.t.Helper()
	v.partner("POST", "/bookings/reserve", fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[{"id":"unit-adult","quantity":1}]}`, s.ProductID, s.OptionID, s.AvailabilityID), want)
}

const tokyo = "/_mock/?product=tokyo-market"

func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)

	t.Run("a click on a slot and one more sell it out", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), tokyo)
		slot := o.slot()
		o.click("#s-" + slot.AvailabilityID)
		o.shows("#slots-slot .facts", "AVAILABLE")
		o.see(`document.activeElement.id === "slot-title"`)
		o.click("#slot-sell-out-go")
		o.shows("#slots-slot .facts", "SOLD_OUT")
		o.shows("#s-"+slot.AvailabilityID+".sold-out", "sold out")
		if got := o.status(slot); got != partnerapi.StatusSoldOut {
			t.Errorf("want availability to say so, got %s", got)
		}
		o.quiet()
	})

	t.Run("the keyboard alone does the same", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), tokyo)
		slot := o.slot()
		o.press(kb.Tab, `document.activeElement.className === "skip"`)
		o.press(kb.Tab, fmt.Sprintf(`document.activeElement.id === %q`, "s-"+slot.AvailabilityID))
		o.press(kb.Enter, `true`)
		o.see(`document.activeElement.id === "slot-title"`)
		o.press(kb.Tab, `document.activeElement.id === "slot-sell-out-go"`)
		o.see(`getComputedStyle(document.activeElement).outlineStyle === "solid"`)
		o.press(kb.Enter, `true`)
		o.shows("#slots-slot .facts", "SOLD_OUT")
		o.shows("#said", "Done: Sell out")
		o.see(`document.activeElement.id === "slot-title"`) // the button is off now
		if got := o.status(slot); got != partnerapi.StatusSoldOut {
			t.Errorf("want availability to say so, got %s", got)
		}
		o.quiet()
	})

	t.Run("a hold comes by itself, counts down, and ends when the clock has passed it", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.shows("#link", "live")
		o.book(o.slot(), 200)
		code := o.Default().Platform().Holds()[0].Code
		o.shows("#holds-live", code)
		o.shows("#holds-live .when", "20:00")
		o.click("#clock-toggle-go")
		o.shows("#clock-face .pill", "running")
		o.shows("#holds-live .when", "19:5")
		o.click("#clock-step-hold-go")
		o.shows("#holds-ended .EXPIRED", "EXPIRED")
		o.shows("#holds-ended-list", code)
		o.see(`!document.querySelector("#holds-live")`)
		o.quiet()
	})

	t.Run("a fault is armed, fires, and is told of", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.shows("#link", "live")
		o.click("#arm-reserve-fails-go")
		o.shows("#faults-armed", "not fired yet")
		o.book(o.slot(), 500)
		o.shows("#exchanges-list .fault", "fault fault-1")
		o.shows("#faults-armed", "fired 1 of 1")
		o.shows("#said", "New exchange: POST /bookings/reserve")
		o.click("#x-1")
		o.shows("#exchanges-list .body", "This is the fault fault-1.")
		o.click("#disarm-fault-1-go")
		o.shows("#faults-armed", "No fault is armed")
		o.quiet()
	})

	t.Run("a defect is applied and taken off again", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.do(chromedp.SendKeys(chromedp.ID("defects-filter"), "age-limit-is"))
		o.click("#defects-age-limit-is-text-go")
		o.shows("#defects-list .applied", "Take off")
		if _, products := o.send("GET", "/products", "", ""); !strings.Contains(products, `"minAge":"`) {
			t.Error("want ages sent as text")
		}
		o.click("#defects-age-limit-is-text-go")
		o.see(`!document.querySelector("#defects-list .applied")`)
		o.quiet()
	})

	t.Run("what is refused is said at its form, which keeps what was written", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t), "/_mock/")
		o.do(chromedp.SendKeys(chromedp.ID("arm-own-fault"), "stats: 500"))
		o.click("#arm-own-curl summary")
		o.shows("#arm-own-curl code", `--data-binary 'stats: 500' 'http://`)
		o.click("#clock-toggle-go") // elsewhere on the page
		o.shows("#clock-face .pill", "running")
		o.is(`document.querySelector("#arm-own-fault").value`, "stats: 500")
		o.click("#arm-own-go")
		o.shows("#arm-own .refusal", `unknown field "stats"`)
		o.is(`document.querySelector("#arm-own-fault").value`, "stats: 500")
		o.do(chromedp.SetValue(chromedp.ID("arm-own-fault"), "status: 500"))
		o.click("#arm-own-go")
		o.shows("#faults-armed", "not fired yet")
		o.is(`document.querySelector("#arm-own-fault").value`, "")
	})

	t.Run("a browser signs in where a token is wanted", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, start(t, func(o *mockpartner.Options) { o.ControlToken = "a-control-token" }), "/_mock/")
		o.do(chromedp.SendKeys(chromedp.ID("token"), "a-control-token"+kb.Enter))
		o.do(chromedp.WaitVisible(chromedp.ID("clock-face")))
		o.shows("#link", "live")
		o.is(`document.cookie`, "")
		o.is(`location.search`, "")
	})

	t.Run("nothing is wider than the window, however narrow", func(t *testing.T) {
		t.Parallel()
		v := busy(t)
		o := open(t, b, v, "/_mock/?judged=yes&exchange=1&slot="+v.firstSlot())
		for _, width := range []int64{360, 700, 1100, 1600} {
			o.do(chromedp.EmulateViewport(width, 800))
			o.see(fmt.Sprintf(`innerWidth === %d`, width))
			if got := value[int64](o, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("at %d pixels the page is %d wide", width, got)
			}
		}
		o.quiet()
	})
}
