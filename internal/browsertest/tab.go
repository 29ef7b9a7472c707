package browsertest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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
	// look is how soon a page is looked at again that has not shown what it has to, and
	// longestLook the most that this grows to: every look costs the machine something.
	look        = 10 * time.Millisecond
	longestLook = 160 * time.Millisecond
	// mostKeys is how often a key is pressed to come to something.
	mostKeys = 300
)

// Action is a step of somebody who uses the browser.
type Action = chromedp.Action[chromedp.Void]

// Tab is a page that is open, of somebody who has no cookies but the tab's own. What it
// cannot do, or does not get to see within a minute, ends the test with what the page shows
// then and the problems that it has met.
type Tab struct {
	T       testing.TB      // the test that it is open for
	Context context.Context // of the page, for what chromedp has and this has not

	origin string

	mu       sync.Mutex
	asked    int
	problems []string
}

// Open opens an empty tab until the test ends, and prepares it. The origin, such as
// http://127.0.0.1:8080, is the beginning of every address that its pages may ask for;
// another request is a problem.
func Open(t testing.TB, browser context.Context, origin string, prepare ...Action) *Tab {
	t.Helper()
	tab := &Tab{T: t, origin: origin}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(tab.note))
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	tab.Context, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	tab.Do(chromedp.EmulateViewport(1400, 900))
	tab.Do(prepare...)
	return tab
}

// Command is a command to the browser that chromedp has no action for.
func Command[P, R any](command cdp.Command[P, R], params P) Action {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// Media shows pages as on that kind of medium, screen or print, to somebody who likes that
// scheme of colours, light or dark.
func Media(kind, scheme string) Action {
	return Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// note notes what a page must not do: complain, break its policy, stop for a dialog, or ask
// anybody else.
func (tab *Tab) note(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch event := event.(type) {
	case *log.EventEntryAdded:
		tab.problems = append(tab.problems, fmt.Sprintf("%s: %s %s", event.Entry.Level, event.Entry.Text, event.Entry.URL))
	case *runtime.EventExceptionThrown:
		tab.problems = append(tab.problems, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		tab.problems = append(tab.problems, "console."+event.Type.String())
	case *page.EventJavascriptDialogOpening:
		tab.problems = append(tab.problems, "dialog: "+event.Message)
	case *network.EventRequestWillBeSent:
		tab.asked++
		if !tab.own(event.Request.URL) {
			tab.problems = append(tab.problems, "request for "+event.Request.URL)
		}
	}
}

// own reports that an address is one that the pages may ask for.
func (tab *Tab) own(address string) bool {
	path, ok := strings.CutPrefix(address, tab.origin)
	return ok && (path == "" || strings.ContainsAny(path[:1], "/?#")) || strings.HasPrefix(address, "data:")
}

// Asked is how many requests the pages have made.
func (tab *Tab) Asked() int {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return tab.asked
}

// Quiet fails the test if a page has met a problem: an error or a word in its console, an
// exception, something that its policy forbids, a dialog, a request to anybody else.
func (tab *Tab) Quiet() {
	tab.T.Helper()
	tab.See(`document.readyState === "complete"`) // all that came before has been noted
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if len(tab.problems) > 0 {
		tab.T.Errorf("expected no problem in the page, received %q", tab.problems)
	}
}

// GoTo opens the page that lies at the origin and this, and waits until it is loaded.
func (tab *Tab) GoTo(path string) {
	tab.T.Helper()
	tab.Do(chromedp.Navigate(tab.origin + path))
}

// Do does these steps.
func (tab *Tab) Do(steps ...Action) {
	tab.T.Helper()
	if err := chromedp.Do(tab.Context, steps...); err != nil {
		tab.fail(err.Error())
	}
}

// Click clicks on the first element of that selector, as soon as there is one to be seen.
func (tab *Tab) Click(selector string) {
	tab.T.Helper()
	tab.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Write puts a text into the first field of that selector, as if pasted: each
// key by itself has the page do all that it does for a change.
func (tab *Tab) Write(selector, text string) {
	tab.T.Helper()
	tab.Do(chromedp.Focus(chromedp.CSS(selector)), Command(input.InsertText, input.InsertTextParams{Text: text}))
}

// See waits until an expression is true. While a form leads from one page to the next there
// is nothing to look at, which is no failure.
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

// Shows waits until an element of that selector has the text.
func (tab *Tab) Shows(selector, text string) {
	tab.T.Helper()
	tab.See(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, text))
}

// Is ends the test unless an expression has that value now.
func (tab *Tab) Is(expression, want string) {
	tab.T.Helper()
	if got := Value[string](tab, expression); got != want {
		tab.fail(fmt.Sprintf("%s: expected %q, received %q", expression, want, got))
	}
}

// Press presses a key, as often as it takes, until an expression is true.
func (tab *Tab) Press(key, until string) {
	tab.T.Helper()
	for range mostKeys {
		if Value[bool](tab, until) {
			return
		}
		tab.Do(chromedp.KeyEvent(key))
	}
	tab.fail(fmt.Sprintf("expected %s by the keyboard, came to %s", until, Value[string](tab, `document.activeElement.outerHTML`)))
}

// Fits fails the test where the page is wider than the window, at each of these widths in
// pixels. The last one stays.
func (tab *Tab) Fits(widths ...int64) {
	tab.T.Helper()
	for _, width := range widths {
		tab.Do(chromedp.EmulateViewport(width, 900))
		tab.See(fmt.Sprintf(`innerWidth === %d`, width))
		if got := Value[int64](tab, `document.documentElement.scrollWidth`); got > width {
			tab.T.Errorf("%s: at %d pixels the page is %d wide", Value[string](tab, `location.pathname`), width, got)
		}
	}
}

// Value is what an expression, or what it promises, is. An exception ends the test.
func Value[T any](tab *Tab, expression string) T {
	tab.T.Helper()
	got, err := chromedp.Run(tab.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.fail(fmt.Sprintf("%.200s: %v", expression, err))
	}
	return got
}

// fail ends the test with why, what the page has met and what it shows.
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
