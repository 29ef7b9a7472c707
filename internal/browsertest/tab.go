package browsertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// look is the first interval between two checks of a page, and longestLook the maximum to which
	// it grows, because each check has a cost.
	look        = 10 * time.Millisecond
	longestLook = 160 * time.Millisecond
	// mostKeys is the maximum number of times that a key is pressed to reach something.
	mostKeys = 300
	// mostClicks is the maximum number of times that an element which moves away is clicked, or one that
	// the page replaces is looked for.
	mostClicks = 3
	// control is the control key, as a bit of the browser's key events.
	control = 2
)

// Action is a step of a browser user.
type Action = chromedp.Action[chromedp.Void]

// Tab is an open page with its own cookies. If a step fails, or an expected content does not appear
// in time, the test ends. The message shows the page's content and problems.
type Tab struct {
	T       testing.TB      // the test that it is open for
	Context context.Context // of the page, for chromedp functions that Tab does not offer

	origin string

	mu       sync.Mutex
	asked    int
	problems []string
}

// Open opens an empty tab until the test ends, and prepares it. The origin, such as
// http://127.0.0.1:8080, is the only one that its pages may request. Any other request is a
// problem.
func Open(t testing.TB, browser context.Context, origin string, prepare ...Action) *Tab {
	t.Helper()
	tab := &Tab{T: t, origin: origin}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(tab.note))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	tab.Context, cancel = context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	tab.Do(chromedp.EmulateViewport(1400, 900))
	tab.Do(prepare...)
	return tab
}

// Command returns an action for a browser command that chromedp has no action for.
func Command[P, R any](command cdp.Command[P, R], params P) Action {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// Media returns an action that emulates that kind of medium, screen or print, and that preferred
// colour scheme, light or dark.
func Media(kind, scheme string) Action {
	return Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// note records what a page must not do: log an error, violate its policy, open a dialog, or send a
// request elsewhere.
func (tab *Tab) note(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch event := event.(type) {
	case *log.EventEntryAdded:
		tab.problems = append(tab.problems, fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL))
	case *runtime.EventExceptionThrown:
		tab.problems = append(tab.problems, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if event.Type.String() != "info" { // libraries log their version
			tab.problems = append(tab.problems, "console."+event.Type.String())
		}
	case *page.EventJavascriptDialogOpening:
		tab.problems = append(tab.problems, "dialog: "+event.Message)
	case *network.EventRequestWillBeSent:
		tab.asked++
		if !tab.isOwn(event.Request.URL) {
			tab.problems = append(tab.problems, "request for "+event.Request.URL)
		}
	}
}

// isOwn reports whether the pages may request an address.
func (tab *Tab) isOwn(address string) bool {
	path, ok := strings.CutPrefix(address, tab.origin)
	return ok && (path == "" || strings.ContainsAny(path[:1], "/?#")) || strings.HasPrefix(address, "data:")
}

// CountRequests returns how many requests the pages have made.
func (tab *Tab) CountRequests() int {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return tab.asked
}

// RequireNoProblems fails the test if a page has had a problem. Problems are console messages, exceptions,
// policy violations, dialogs, and requests to other servers.
func (tab *Tab) RequireNoProblems() {
	tab.T.Helper()
	tab.seeEnd() // all earlier events have been recorded
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if len(tab.problems) > 0 {
		tab.T.Errorf("expected no problem in the page, received %q", tab.problems)
	}
}

// GoTo opens the page at that path of the origin, and waits until it is loaded.
func (tab *Tab) GoTo(path string) {
	tab.T.Helper()
	tab.Do(chromedp.Navigate(tab.origin + path))
}

// Do runs these steps.
func (tab *Tab) Do(steps ...Action) {
	tab.T.Helper()
	if err := chromedp.Do(tab.Context, steps...); err != nil {
		tab.fail(err.Error())
	}
}

// Click clicks on the first element that matches the selector, once it is visible. If the page moves
// the element away at that moment, it clicks again, as a person would.
func (tab *Tab) Click(selector string) {
	tab.T.Helper()
	// Where a page's scripts are disabled, the listeners do nothing.
	watch := fmt.Sprintf(`window.missed = false;
		document.addEventListener("pointerdown", () => { window.missed = true }, { capture: true, once: true });
		document.addEventListener("click", e => { window.missed = !e.target.closest(%q) }, { capture: true, once: true })`, selector)
	for range mostClicks {
		_, _ = chromedp.Run(tab.Context, chromedp.Evaluate[any](watch))
		if tab.reach(chromedp.Click(chromedp.CSS(selector))); !tab.hasMissed() {
			return
		}
	}
	tab.fail(fmt.Sprintf("%s moved away at each of %d clicks", selector, mostClicks))
}

// hasMissed reports whether the last click met another element. A click that leads to another page, or
// opens a dialog, has met its own.
func (tab *Tab) hasMissed() bool {
	missed, err := chromedp.Run(tab.Context, chromedp.Evaluate[bool]("window.missed === true"))
	return err == nil && missed
}

// reach runs a step with an element. If the page replaces the element between finding and using it, the
// step is run again.
func (tab *Tab) reach(step Action) {
	tab.T.Helper()
	var err error
	for range mostClicks {
		replaced := (*cdproto.Error)(nil)
		if err = chromedp.Do(tab.Context, step); !errors.As(err, &replaced) || replaced.Code != noSuchNode {
			break
		}
	}
	if err != nil {
		tab.fail(err.Error())
	}
}

// noSuchNode is the browser's error for an element that has left the page.
const noSuchNode = -32000

// Write inserts a text into the first field that matches the selector, as if pasted. Separate key
// presses would trigger the page's handlers for each one.
func (tab *Tab) Write(selector, text string) {
	tab.T.Helper()
	tab.reach(chromedp.Focus(chromedp.CSS(selector)))
	tab.Do(Command(input.InsertText, input.InsertTextParams{Text: text}))
}

// See waits until an expression is true. While a form leads from one page to the next, an error is
// not a failure.
func (tab *Tab) See(expression string) {
	tab.T.Helper()
	ctx, cancel := context.WithTimeout(tab.Context, patience)
	defer cancel()
	for pause := look; ; pause = min(2*pause, longestLook) {
		shown, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && shown {
			return
		}
		select {
		case <-ctx.Done():
			tab.fail(fmt.Sprintf("expected to see %s, %v", expression, err))
		case <-time.After(pause):
		}
	}
}

// Shows waits until an element that matches the selector contains the text.
func (tab *Tab) Shows(selector, text string) {
	tab.T.Helper()
	tab.See(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

// Is ends the test unless an expression has that value now, or when the page has been read to its end.
func (tab *Tab) Is(expression, want string) {
	tab.T.Helper()
	tab.seeEnd()
	if got := Value[string](tab, expression); got != want {
		tab.fail(fmt.Sprintf("%s: expected %q, received %q", expression, want, got))
	}
}

// seeEnd waits until the browser has read the page to its end, and its scripts have started. It shows a page earlier.
func (tab *Tab) seeEnd() {
	tab.T.Helper()
	tab.See(`document.readyState === "complete"`)
}

// Keys presses keys, one after the other, once the page's scripts listen to them.
func (tab *Tab) Keys(keys string) {
	tab.T.Helper()
	tab.seeEnd()
	tab.Do(chromedp.KeyEvent(keys))
}

// Press presses a key repeatedly until an expression is true.
func (tab *Tab) Press(key, until string) {
	tab.T.Helper()
	tab.seeEnd()
	for range mostKeys {
		if Value[bool](tab, until) {
			return
		}
		tab.Do(chromedp.KeyEvent(key))
	}
	tab.fail(fmt.Sprintf("expected %s by the keyboard, came to %s", until, Value[string](tab, `document.activeElement.outerHTML`)))
}

// Control presses a key together with the control key.
func (tab *Tab) Control(key string) {
	tab.T.Helper()
	tab.seeEnd()
	tab.Do(chromedp.KeyEvent(key, chromedp.KeyModifiers(control)))
}

// Fits fails the test if the page is wider than the window, at any of these widths in pixels. The
// last width stays.
func (tab *Tab) Fits(widths ...int64) {
	tab.T.Helper()
	tab.seeEnd()
	for _, width := range widths {
		tab.Do(chromedp.EmulateViewport(width, 900))
		tab.See(fmt.Sprintf(`innerWidth === %d`, width))
		if got := Value[int64](tab, `document.documentElement.scrollWidth`); got > width {
			tab.T.Errorf("%s: at %d pixels the page is %d wide", Value[string](tab, `location.pathname`), width, got)
		}
	}
}

// RequireUncut fails the test if the content of an element that matches the selector is wider than the
// element: it is cut off, or covers what is beside it.
func (tab *Tab) RequireUncut(selector string) {
	tab.T.Helper()
	for _, found := range Value[[]string](tab, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1)
		.map(e => `+"`${e.textContent.trim()}: ${e.scrollWidth} pixels in ${e.clientWidth}`"+`)`, selector)) {
		tab.T.Errorf("%s: at %d pixels something does not fit: %s", Value[string](tab, `location.pathname`), Value[int64](tab, `innerWidth`), found)
	}
}

// Value returns the value of an expression, or of its promise. An exception ends the test.
func Value[T any](tab *Tab, expression string) T {
	tab.T.Helper()
	got, err := chromedp.Run(tab.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.fail(fmt.Sprintf("%.200s: %v", expression, err))
	}
	return got
}

// fail ends the test with the reason, the page's problems and its content.
func (tab *Tab) fail(why string) {
	tab.T.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tab.Context), patience)
	defer cancel()
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	if err != nil {
		shown = err.Error()
	}
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.T.Fatalf("%s\nThe page met the problems %q, and is %s", why, tab.problems, shown)
}
