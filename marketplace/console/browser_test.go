package console_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/axetest"
	"partnerkit.dev/mockpartner/browsertest"
)

// patience is how long a test waits for what a page is to show.
const patience = time.Minute

// tab is a page of a shop's console that is open in the browser.
type tab struct {
	*shop
	ctx context.Context

	mu       sync.Mutex
	problems []string // that the page has met
}

// look opens a page in a browser that has no cookies but the tab's own.
func (s *shop) look(browser context.Context, path string) *tab {
	s.t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	s.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	s.t.Cleanup(cancel)
	o := &tab{shop: s, ctx: ctx}
	if err := chromedp.Listen(ctx, o.note); err != nil {
		s.t.Fatal(err)
	}
	o.do(chromedp.Navigate(s.address + path))
	return o
}

// signedIn opens a page as the operator, who signs in by the keyboard.
func (s *shop) signedIn(browser context.Context, path string) *tab {
	s.t.Helper()
	o := s.look(browser, path)
	o.do(chromedp.SendKeys(chromedp.ID("f-email"), "operator@example.com"+kb.Tab), chromedp.SendKeys(chromedp.ID("f-password"), password+kb.Enter))
	o.shows(".out", "Sign out")
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

// quiet wants the page to have met no problem: no error, nothing that the policy forbids.
func (o *tab) quiet() {
	o.t.Helper()
	o.see(`document.readyState === "complete"`) // all that came before has been noted
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.ctx), patience)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

func (o *tab) goTo(path string) { o.t.Helper(); o.do(chromedp.Navigate(o.address + path)) }

func (o *tab) click(selector string) { o.t.Helper(); o.do(chromedp.Click(chromedp.CSS(selector))) }

// see waits until the page shows something. While a form leads from one page to the next
// there is nothing to look at, which is no failure.
func (o *tab) see(expression string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.ctx, patience)
	defer cancel()
	for {
		shown, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && shown {
			return
		}
		select {
		case <-ctx.Done():
			o.t.Fatalf("want to see %s, %v:\n%s", expression, err, o.text())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// shows waits until an element has the text.
func (o *tab) shows(selector, text string) {
	o.t.Helper()
	o.see(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

func value[T any](o *tab, expression string) T {
	o.t.Helper()
	got, err := chromedp.Run(o.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		o.t.Fatalf("%.100s: %v", expression, err)
	}
	return got
}

func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)

	t.Run("an operator settles a paid booking whose confirm has failed", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		id := s.unconfirmed(s.order(s.stocked()))
		o := s.signedIn(b, "/console/")
		o.shows(".due .figure", "1")
		o.click(".due a.main")
		o.click("tbody th a")
		o.shows("#attention-title", "Paid, and the partner does not book it")
		s.byHand()
		o.click(".acts button.main")
		o.shows(".note", "Done: the booking is CONFIRMED.")
		o.shows(".timeline", "answered with 409")
		o.shows(".timeline .good", "CONFIRMED")
		if got := call[booked](s, marketplace.Operator, "GET", "/operator/bookings/"+id, ""); got.Status != "CONFIRMED" {
			t.Errorf("want it confirmed, got %s", got.Status)
		}
		o.click(".buttons a.danger")
		o.do(chromedp.SendKeys(chromedp.ID("f-reason"), "The guests are ill"+kb.Enter))
		o.shows(".note", "Done: the booking is CANCELLED.")
		o.quiet()
		mockpartner.AssertCallerKept(t, s.partner.Default())
	})

	t.Run("an operator approves what the guard holds back", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		made := s.stocked()
		for _, gone := range call[[]client.OperatorActivity](s, marketplace.Operator, "GET", "/operator/activities", "")[1:] {
			s.must(s.control.DeleteProduct(t.Context(), gone.ExternalSync.ExternalProductID))
		}
		call[any](s, marketplace.Operator, "POST", "/operator/integrations/"+made.ID+"/sync", `{}`)
		o := s.signedIn(b, "/console/")
		o.shows(".why", "A sync waits for approval")
		o.click(".rows a")
		o.shows("#approve-title", "waits for your approval")
		o.click(".due button.main")
		o.shows(".note", "deactivated")
		o.see(`!document.querySelector("#approve-title")`)
		o.goTo("/console/activities?status=Active")
		o.see(`document.querySelectorAll("tbody tr").length === 1`)
		o.quiet()
	})

	t.Run("a price that is edited is in the resellers' list", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		s.stocked()
		price := func() (list []client.Activity) {
			return call[[]client.Activity](s, marketplace.Reseller, "GET", "/resellers/activities?limit=100", "")
		}
		before := price()[0]
		o := s.signedIn(b, "/console/activities/"+before.ID)
		o.do(chromedp.SendKeys(chromedp.ID("f-admin_price_percentage"), "100"))
		o.click(`form[action$="` + before.ID + `"] button.main`)
		o.shows(".note", "Changed: 1 field.")
		was, is := before.Variations[0].Pricing.Units[0].Price, price()[0].Variations[0].Pricing.Units[0].Price
		if was.Rat() == nil || is.Rat() == nil || is.Rat().Cmp(was.Rat()) <= 0 {
			t.Errorf("want a higher price than %s, got %s", was, is)
		}
		o.quiet()
	})

	t.Run("no page keeps anybody out, in light and dark, wide and narrow", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		s := open(t)
		pages := s.busy()
		o := s.look(b, "/console/signin")
		o.accessible(axe, "sign-in")
		o.do(chromedp.SendKeys(chromedp.ID("f-email"), "operator@example.com"), chromedp.SendKeys(chromedp.ID("f-password"), password+kb.Enter))
		o.shows(".out", "Sign out")
		for name, path := range pages {
			o.goTo(path)
			o.accessible(axe, name)
		}
		o.goTo(pages["terms"])
		o.do(chromedp.SendKeys(chromedp.ID("f-currency"), "XXY"+kb.Enter))
		o.shows(".note.failed", "ISO 4217")
		o.accessible(axe, "a form that is refused")
	})
}

// busy fills the shop, and lists the pages that there are to see.
func (s *shop) busy() map[string]string {
	s.t.Helper()
	s.must(s.control.Have(s.t.Context(), "age-limit-is-text"))
	made := s.stocked()
	booking := s.unconfirmed(s.order(made))
	reseller := s.accounts[marketplace.Reseller].ID.String()
	call[any](s, marketplace.Operator, "POST", "/operator/accounts/"+reseller+"/api-tokens", `{"name":"web shop"}`)
	s.must(s.control.HaveNot(s.t.Context(), "age-limit-is-text"))
	s.arm(`{match: {endpoint: products}, times: 3, status: 503}`)
	v := s.operator()
	for range 3 { // and it is DEGRADED
		s.ahead.Add(int64(40 * time.Minute))
		v.post("/console/integrations/"+made.ID+"/sync", "mode", "full")
	}
	s.ahead.Add(int64(90 * time.Minute))
	call[any](s, marketplace.Operator, "PUT", "/operator/rates", `{"base":"EUR","rates":{"USD":"1.08","JPY":"171.94","GBP":"0.8464"}}`)
	activity := call[[]client.OperatorActivity](s, marketplace.Operator, "GET", "/operator/activities?q=tokyo-market", "")[0]
	return map[string]string{
		"overview": "/console/", "integrations": "/console/integrations", "integration": "/console/integrations/" + made.ID, "delete": "/console/integrations/" + made.ID + "/delete",
		"bookings": "/console/bookings", "booking": "/console/bookings/" + booking, "cancel": "/console/bookings/" + booking + "/cancel", "activities": "/console/activities",
		"activity": "/console/activities/" + activity.ID, "variation": "/console/activities/" + activity.ID + "/variations/" + activity.Variations[0].ID, "terms": "/console/terms",
		"accounts": "/console/accounts", "account": "/console/accounts/" + reseller, "nothing": "/console/nothing",
	}
}

// accessible wants nothing on the page that keeps people out, and nothing wider than the
// window. With SCREENSHOTS set the page is drawn into that folder.
func (o *tab) accessible(axe, name string) {
	o.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		o.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}, // what fades in has no contrast yet
			}})
			return err
		}))
		for _, width := range []int64{1280, 390} {
			o.do(chromedp.EmulateViewport(width, 844))
			o.see(fmt.Sprintf(`innerWidth === %d`, width))
			if got := value[int64](o, `document.documentElement.scrollWidth`); got > width {
				o.t.Errorf("%s: at %d pixels the page is %d wide", name, width, got)
			}
			o.draw(fmt.Sprintf("%s-%s-%d.png", strings.ReplaceAll(name, " ", "-"), scheme, width))
		}
		for _, found := range value[[]string](o, axe+";"+axetest.Findings) {
			o.t.Errorf("%s, %s: %s", name, scheme, found)
		}
	}
}

func (o *tab) draw(name string) {
	o.t.Helper()
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		return
	}
	drawn, err := chromedp.Run(o.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name), drawn, 0o644)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}
