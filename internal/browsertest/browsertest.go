// Package browsertest gives tests a browser, and functions to use a page and to check what it
// shows. It is only for tests.
package browsertest

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"partnerkit.dev/internal/tooltest"
)

// patience is the timeout for the browser to start, and for a page to show something. It is far
// longer than a busy machine needs.
const patience = 10 * time.Minute

// Path returns the path of the browser. If the machine has none, the test is skipped, or fails if CI
// is set. With -short it is skipped.
func Path(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out browsers")
	}
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	tooltest.Skip(t, tooltest.Browser, "none of "+strings.Join(names, ", ")+" is in the PATH")
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
