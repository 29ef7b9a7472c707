// Package browsertest gives tests a browser, and functions to use a page and to check what it
// shows. It is only for tests.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// patience is the timeout for the browser to start, and for a page to show something. It is far
// longer than a busy machine needs.
const patience = 10 * time.Minute

// Path returns the path of the browser. If the machine has none, the test is skipped, or fails if CI
// is set.
func Path(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	const missing = "there is no browser to see the pages in: install chromium"
	if os.Getenv("CI") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Start connects to a headless Chromium until the test ends. The packages that one go test runs
// share it, and the first one starts it. Tabs are opened in the context. If the machine has no
// browser, the test is skipped, or fails if CI is set.
func Start(t testing.TB) context.Context {
	t.Helper()
	path := Path(t)
	address, err := shared(path)
	if err != nil {
		t.Fatalf("the browser %s does not start: %v", path, err)
	}
	allocator, stop := remote.NewAllocator(context.Background(), address, remote.WithDialTimeout(patience))
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("connect to the browser %s: %v", path, err)
	}
	return ctx
}
