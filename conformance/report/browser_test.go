package report

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
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	printer "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/mockpartner/axetest"
	"partnerkit.dev/mockpartner/browsertest"
)

// patience is how long a test waits for what a page is to show.
const patience = 60 * time.Second

// reader is somebody who has a report open in the browser.
type reader struct {
	t       *testing.T
	ctx     context.Context
	address string

	mu       sync.Mutex
	problems []string // that the page has met
}

// open opens the report of a run, as a file, at what follows its address. What
// prepares the tab is done before.
func open(t *testing.T, browser context.Context, r *Result, at string, prepare ...chromedp.Action[chromedp.Void]) *reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, render(t, HTML, seal(t, r)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, protocol(network.Enable, network.EnableParams{})); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	o := &reader{t: t, ctx: ctx, address: "file://" + path}
	if err := chromedp.Listen(ctx, o.note); err != nil {
		t.Fatal(err)
	}
	o.do(chromedp.EmulateViewport(1400, 900))
	o.do(prepare...)
	o.do(chromedp.Navigate(o.address + at))
	return o
}

// protocol is a command to the browser that chromedp has no action for.
func protocol[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// note notes what a page must not do: complain, or ask for anything but itself.
func (o *reader) note(event any) {
	problem := ""
	switch event := event.(type) {
	case *log.EventEntryAdded:
		problem = fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL)
	case *runtime.EventExceptionThrown:
		problem = "exception: " + event.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console.%s", event.Type)
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(event.Request.URL, o.address) {
			problem = "request for " + event.Request.URL
		}
	case *printer.EventJavascriptDialogOpening:
		problem = "dialog: " + event.Message
	}
	if problem == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.problems = append(o.problems, problem)
}

// quiet wants the page to have met no problem.
func (o *reader) quiet() {
	o.t.Helper()
	o.is(`document.readyState`, "complete") // all that came before has been noted
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.problems) > 0 {
		o.t.Errorf("want no problem in the page, got %q", o.problems)
	}
}

func (o *reader) do(steps ...chromedp.Action[chromedp.Void]) {
	o.t.Helper()
	if err := chromedp.Do(o.ctx, steps...); err != nil {
		o.t.Fatal(err)
	}
}

func value[T any](o *reader, expression string) T {
	o.t.Helper()
	got, err := chromedp.Run(o.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		o.t.Fatalf("%.200s: %v", expression, err)
	}
	return got
}

func (o *reader) is(expression, want string) {
	o.t.Helper()
	if got := value[string](o, expression); got != want {
		o.t.Fatalf("%s: want %q, got %q", expression, want, got)
	}
}

// see waits until the page shows something.
func (o *reader) see(expression string) {
	o.t.Helper()
	if _, err := chromedp.Run(o.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(20*time.Millisecond))); err != nil {
		o.t.Fatalf("want to see %s: %v", expression, err)
	}
}

// rules wants just these rules to be on the page.
func (o *reader) rules(want ...rule.Rule) {
	o.t.Helper()
	var ids []string
	for _, r := range want {
		ids = append(ids, r.ID)
	}
	o.is(`[...document.querySelectorAll(".rule:not([hidden])")].map(r => r.id).join()`, strings.Join(ids, ","))
}

// visible wants a rule to be on the screen, unfolded.
func (o *reader) visible(r rule.Rule) {
	o.t.Helper()
	o.see(fmt.Sprintf(`(() => { const r = document.getElementById(%q), at = r.getBoundingClientRect();
		return r.checkVisibility({contentVisibilityAuto: true}) && at.top >= -1 && at.top < innerHeight / 2 && at.height > 60; })()`, r.ID))
}

// search types into the search field.
func (o *reader) search(text string) {
	o.t.Helper()
	value[any](o, `document.querySelector("[name=text]").select()`)
	o.do(chromedp.SendKeys(chromedp.CSS("[name=text]"), text))
}

// press presses a key until the page is as it should be.
func (o *reader) press(key, until string) {
	o.t.Helper()
	for range 60 {
		if value[bool](o, until) {
			return
		}
		o.do(chromedp.KeyEvent(key))
	}
	o.t.Fatalf("want %s by the keyboard, came to %s", until, value[string](o, `document.activeElement.outerHTML`))
}

// media is how a page is shown.
func media(kind, scheme string) chromedp.Action[chromedp.Void] {
	return protocol(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// unfoldAll opens all that is folded.
const unfoldAll = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

// faint lists texts that stand out too little from what is behind them: WCAG wants
// a contrast of 4.5.
const faint = `(() => {
	const channels = colour => colour.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
	const behind = e => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
	return [...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest("svg, select, input") &&
		[...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).filter(e => {
		const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
		return (a + .05) / (b + .05) < 4.5;
	}).map(e => e.outerHTML.slice(0, 120)).slice(0, 5).join("\n");
})()`

func TestTheReportInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)

	t.Run("what is searched for is what is left, and the address keeps it", func(t *testing.T) {
		t.Parallel()
		r := handful(t)
		o := open(t, b, r, "")
		o.search("went FROM 12")
		o.rules(rule.ReserveVacanciesMany)
		o.is(`document.querySelector("output").value`, fmt.Sprintf("1 of %d rules", len(r.Rules)))
		o.is(`location.search`, "?text=went+FROM+12")
		o.do(chromedp.Reload())
		o.rules(rule.ReserveVacanciesMany)
		o.search("no rule says this")
		o.rules()
		o.see(`!document.querySelector(".nothing").hidden`)
		o.do(chromedp.Click(chromedp.CSS(".filter button")))
		o.is(`document.querySelector("output").value`, fmt.Sprintf("%[1]d of %[1]d rules", len(r.Rules)))
		o.is(`location.search`, "")
		o.quiet()
	})

	t.Run("the keyboard alone filters by outcome, by level and by endpoint", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "")
		for _, left := range []string{"passed", "warned", "inconclusive", "blocked", "skipped", "not_applicable"} {
			o.do(chromedp.Focus(chromedp.CSS("[value="+left+"]")), chromedp.KeyEvent(" "))
		}
		o.rules(rule.ReserveVacanciesMany, rule.ReserveLimit)
		o.is(`location.search`, "?outcome=failed")
		o.do(chromedp.Focus(chromedp.CSS("[name=text]")))
		o.press(kb.Tab, `document.activeElement.value === "reserve"`)
		o.do(chromedp.KeyEvent(" "))
		o.rules()
		o.is(`location.search`, "?outcome=failed&endpoint=products%2Cavailability%2Cconfirm%2Crelease%2Ccancel")
		o.quiet()
	})

	t.Run("a link to a rule unfolds it and shows its evidence, whatever was filtered out", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "#"+rule.ReserveCode.ID)
		o.visible(rule.ReserveCode)
		o.do(chromedp.Navigate(o.address + "?outcome=warned#" + rule.ReserveVacanciesMany.ID))
		o.visible(rule.ReserveVacanciesMany)
		o.see(fmt.Sprintf(`document.querySelector('[id="%s"] .curl').checkVisibility()`, rule.ReserveVacanciesMany.ID))
		o.is(`location.search`, "")
		o.quiet()
	})

	t.Run("a curl line is copied by its button", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "#"+rule.ReserveVacanciesMany.ID)
		button := fmt.Sprintf(`[id="%s"] .copy`, rule.ReserveVacanciesMany.ID)
		o.do(chromedp.Click(chromedp.CSS(button)))
		o.see(fmt.Sprintf(`document.querySelector('%s').textContent === "Copied"`, button))
		o.do(chromedp.Focus(chromedp.CSS("[name=text]")),
			protocol(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: "keyDown", Commands: []string{"paste"}}))
		o.see(fmt.Sprintf(`document.querySelector("[name=text]").value === %q`, reserveExchange().Curl))
		o.quiet()
	})

	t.Run("on paper what failed comes with its evidence, and without buttons", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "", media("print", "dark"))
		for _, selector := range []string{".curl pre", ".exchange-body", ".evidence .halves"} {
			o.see(fmt.Sprintf(`[...document.querySelectorAll('.finding %s')].every(e => e.checkVisibility({contentVisibilityAuto: true}))`, selector))
		}
		for _, selector := range []string{".side", ".copy", ".skip"} {
			o.see(fmt.Sprintf(`[...document.querySelectorAll('%s')].every(e => !e.checkVisibility())`, selector))
		}
		o.is(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
		o.is(faint, "")
		o.do(protocol(printer.PrintToPDF, printer.PrintToPDFParams{}))
		o.is(`String(document.querySelectorAll(".finding .evidence[open]").length)`, "0") // folded again
		o.quiet()
	})

	t.Run("it can be read in the light and in the dark, and keeps nobody out", func(t *testing.T) {
		t.Parallel()
		axe := axetest.Source(t)
		o := open(t, b, handful(t), "")
		value[any](o, unfoldAll)
		grounds := map[string]bool{}
		for _, scheme := range []string{"light", "dark"} {
			o.do(media("screen", scheme))
			o.is(faint, "")
			for _, found := range value[[]string](o, axe+";"+axetest.Findings) {
				t.Errorf("%s: %s", scheme, found)
			}
			grounds[value[string](o, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		if len(grounds) != 2 {
			t.Errorf("want another ground in the dark, got %v", grounds)
		}
		o.quiet()
	})

	t.Run("nothing is wider than the window, however narrow", func(t *testing.T) {
		t.Parallel()
		r := handful(t)
		r.Target.BaseURL = "https://" + strings.Repeat("long", 60) + ".example/" + strings.Repeat("path", 60)
		ruleOf(t, r, rule.ReserveVacanciesMany.ID).Message = strings.Repeat("nospaces", 100)
		r.Vacancies[0].ProductID = strings.Repeat("product", 40)
		o := open(t, b, r, "")
		value[any](o, unfoldAll)
		for _, width := range []int64{360, 700, 1100, 1600} {
			o.do(chromedp.EmulateViewport(width, 800))
			o.see(fmt.Sprintf(`innerWidth === %d`, width))
			if got := value[int64](o, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("at %d pixels the page is %d wide", width, got)
			}
		}
		o.quiet()
	})

	t.Run("a partner's text stays text", func(t *testing.T) {
		t.Parallel()
		hostile := ""
		for _, text := range hostileTexts() {
			hostile += shorten(text, 200) + "\n"
		}
		o := open(t, b, hostileResult(t, hostile), "")
		value[any](o, unfoldAll)
		o.is(`String(document.querySelectorAll("main img, main script, main iframe, main [onerror], main [onfocus], main a:not([href^='#'])").length)`, "0")
		o.search("<script>alert(1)</script>")
		o.see(`document.querySelectorAll(".rule:not([hidden])").length === 4`)
		o.quiet()
	})

	t.Run("without its script it can be read as well", func(t *testing.T) {
		t.Parallel()
		o := open(t, b, handful(t), "", protocol(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		o.is(`String(document.querySelector(".sift").checkVisibility())`, "false")
		evidence := fmt.Sprintf(`[id="%s"] .evidence`, rule.ReserveVacanciesMany.ID)
		o.do(chromedp.Click(chromedp.CSS(evidence + " > summary")))
		o.see(fmt.Sprintf(`document.querySelector('%s .curl pre').checkVisibility()`, evidence))
		o.is(fmt.Sprintf(`String(document.querySelector('%s .copy').checkVisibility())`, evidence), "false")
		o.quiet()
	})
}
