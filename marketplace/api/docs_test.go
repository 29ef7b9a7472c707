package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/mockpartner/browsertest"
)

// patience is how long a test waits for what a page is to show.
const patience = 60 * time.Second

// window has one of the service's pages open in a browser.
type window struct {
	t       *testing.T
	ctx     context.Context
	address string // of the service

	mu       sync.Mutex
	asked    int      // requests that the page made
	problems []string // that it met, and requests to anybody else
}

// open starts a browser and opens a page of the service in it.
func open(t *testing.T, b *bench, path string) *window {
	t.Helper()
	ctx := browsertest.Start(t)
	if err := chromedp.Do(ctx, protocol(network.Enable, network.EnableParams{})); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	o := &window{t: t, ctx: ctx, address: b.address}
	if err := chromedp.Listen(ctx, o.note); err != nil {
		t.Fatal(err)
	}
	o.do(chromedp.EmulateViewport(1400, 900))
	o.visit(path)
	return o
}

// protocol is a command to the browser that chromedp has no action for.
func protocol[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// note notes what a page must not do: complain, break its policy, or ask anybody but the
// service.
func (o *window) note(event any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch event := event.(type) {
	case *log.EventEntryAdded:
		o.problems = append(o.problems, fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL))
	case *runtime.EventExceptionThrown:
		o.problems = append(o.problems, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		o.problems = append(o.problems, "console."+event.Type.String())
	case *network.EventRequestWillBeSent:
		o.asked++
		if !strings.HasPrefix(event.Request.URL, o.address+"/") && !strings.HasPrefix(event.Request.URL, "data:") {
			o.problems = append(o.problems, "request for "+event.Request.URL)
		}
	}
}

func (o *window) visit(path string) {
	o.t.Helper()
	o.do(chromedp.Navigate(o.address + path))
}

func (o *window) do(steps ...chromedp.Action[chromedp.Void]) {
	o.t.Helper()
	if err := chromedp.Do(o.ctx, steps...); err != nil {
		o.t.Fatalf("%v\n%q", err, o.problems)
	}
}

// see waits until the page shows something.
func (o *window) see(expression string) {
	o.t.Helper()
	if _, err := chromedp.Run(o.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(50*time.Millisecond))); err != nil {
		o.t.Fatalf("want to see %s, %v; the page met %q", expression, err, o.problems)
	}
}

// sees waits until an element has the text.
func (o *window) sees(selector, text string) {
	o.t.Helper()
	o.see(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

func (o *window) click(selector string) {
	o.t.Helper()
	o.do(chromedp.Click(chromedp.CSS(selector)))
}

// quiet wants the page to have met no problem.
func (o *window) quiet() {
	o.t.Helper()
	o.see(`document.readyState === "complete"`)
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.problems) > 0 || o.asked < 4 {
		o.t.Errorf("want a page that asks the service alone and meets no problem, got %d requests and %q", o.asked, o.problems)
	}
}

// fits wants nothing to be wider than the window.
func (o *window) fits() {
	o.t.Helper()
	for _, width := range []int64{360, 1400} {
		o.do(chromedp.EmulateViewport(width, 900))
		o.see(fmt.Sprintf(`innerWidth === %d`, width))
		if got, err := chromedp.Run(o.ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth`)); err != nil || got > width {
			o.t.Errorf("at %d pixels the page is %d wide, %v", width, got, err)
		}
	}
}

func TestTheDocumentsAreReadAndTriedInABrowser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := strings.TrimPrefix(b.signIn(t, marketplace.Reseller).value, "Bearer ")
	o := open(t, b, "/docs")
	for _, op := range theDocument(t).Operations() {
		o.see(fmt.Sprintf(`!!document.querySelector('[id$="-%s"]')`, op.ID))
	}
	o.fits()

	o.click("button.authorize")
	o.do(chromedp.WaitVisible(chromedp.CSS("#auth-bearer-value")), chromedp.SendKeys(chromedp.CSS("#auth-bearer-value"), token))
	o.click(".auth-container:has(#auth-bearer-value) button[type=submit]")
	o.click("button.btn-done")
	const list = "#operations-Reseller-activities "
	o.click(list + ".opblock-summary-control")
	o.click(list + ".try-out__btn")
	o.click(list + "button.execute")
	o.sees(list+".live-responses-table .response-col_status", "200")
	o.sees(list+".live-responses-table", `"success"`)
	o.sees(list+".request-url", b.address+"/api/v1/resellers/activities")

	o.visit("/docs/partner")
	o.sees(".info", "Partner API")
	o.see(`document.querySelectorAll(".opblock").length === 6`)
	o.click(".opblock-summary-control")
	o.sees(".opblock-body", "Answers every product")
	o.see(`!document.querySelector(".try-out__btn")`)
	o.fits()
	o.quiet()
}

func TestThePagesOfTheDocumentsLoadNothingThatIsNotTheServices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/docs", "/docs/partner"} {
		a := b.do(t, "GET", path, "")
		policy := a.Header.Get("Content-Security-Policy")
		if a.StatusCode != 200 || !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: want a strict policy, got %d with %q", path, a.StatusCode, policy)
		}
		if text := string(a.body); strings.Contains(text, "<script>") || strings.Contains(text, "//") {
			t.Errorf("%s: want no script and no address of another in it, got %s", path, text)
		}
	}
	if a := b.do(t, "GET", "/docs/partner.yaml", ""); a.StatusCode != 200 || !strings.HasPrefix(string(a.body), "openapi: 3.1") {
		t.Errorf("want the partner's document, got %d %.100s", a.StatusCode, a.body)
	}
	for name, kind := range map[string]string{
		"page.js": "text/javascript", "page.css": "text/css", "swagger-ui.css": "text/css", "swagger-ui-bundle.js": "text/javascript", "favicon-32x32.png": "image/png",
	} {
		first := b.do(t, "GET", "/docs/assets/"+name, "")
		if first.StatusCode != 200 || !strings.HasPrefix(first.Header.Get("Content-Type"), kind) || len(first.body) == 0 {
			t.Errorf("%s: want %s, got %d, %q", name, kind, first.StatusCode, first.Header.Get("Content-Type"))
		}
		packed := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip, br"})
		if library := strings.HasPrefix(name, "swagger"); library != (packed.Header.Get("Content-Encoding") == "gzip") || library && len(packed.body) >= len(first.body)/2 {
			t.Errorf("%s: want it packed for who takes that, got %q, %d bytes for %d", name, packed.Header.Get("Content-Encoding"), len(packed.body), len(first.body))
		}
		if again := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip"}, header{"If-None-Match", packed.Header.Get("Etag")}); again.StatusCode != 304 {
			t.Errorf("%s: want 304 for who has it, got %d", name, again.StatusCode)
		}
		if other := b.do(t, "GET", "/docs/assets/"+name, "", header{"Accept-Encoding", "gzip;q=0"}, header{"If-None-Match", packed.Header.Get("Etag")}); packed.Header.Get("Content-Encoding") != "" && other.StatusCode != 200 {
			t.Errorf("%s: want another tag for the plain file, got %d", name, other.StatusCode)
		}
	}
	for _, name := range []string{"nothing.js", "page.html", "oauth2-redirect.html", "..%2Fpage.js", "%00"} {
		wantProblem(t, b.do(t, "GET", "/docs/assets/"+name, ""), http.StatusNotFound, "no such file")
	}
}
