// Package browsertest gives tests a browser, and one way to use a page in it and to say what
// it shows. It is for tests alone.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long the browser may take to start, and a page to show something.
const patience = time.Minute

// unwanted is what a browser does of itself in each window, and no test has a use for: the
// suggestions of the address bar are pages too, which cost more than the one that is looked
// at. What chromedp wants to be without comes first, because there can be but one list.
const unwanted = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

// Start starts a Chromium without a window until the test ends; tabs are made in the
// context. Where the machine has none the test is skipped, unless CI is set.
func Start(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		const missing = "there is no browser to see the pages in: install chromium"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	// What it leaves in its temporary folder when it is ended goes with that, and so does
	// what it keeps of its user. The name is short: a socket lies in it.
	folder, err := os.MkdirTemp("", "browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Errorf("remove what the browser has left: %v", err)
		}
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TMPDIR="+folder, "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_CACHE_HOME="+folder),
		chromedp.Flag("disable-features", unwanted), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // what fades in costs time, and is faint meanwhile
		chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser %s does not start: %v", path, err)
	}
	return ctx
}
