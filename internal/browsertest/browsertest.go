// Package browsertest gives tests a browser, and functions to use a page and to check what it
// shows. It is only for tests.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"partnerkit.dev/internal/errtest"
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
	// The headless shell takes a third less CPU time than the same browser with its windows and menus.
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	tooltest.Skip(t, tooltest.Browser, "none of "+strings.Join(names, ", ")+" is in the PATH")
	return ""
}

// unwanted are features that a browser runs in each window and that tests do not need. The
// suggestions of the address bar, for example, are pages that cost more than the tested one. The
// list begins with chromedp's own, because there can be only one list.
const unwanted = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

// Start starts a headless Chromium until the test ends. Tabs are opened in the context. Each package has
// a browser of its own: with those of others in it, its pages lose clicks. If the machine has no
// browser, the test is skipped, or fails if CI is set.
func Start(t testing.TB) context.Context {
	t.Helper()
	own := &Shared{}
	ctx := own.Start(t)
	t.Cleanup(own.Close)
	return ctx
}

// Shared is a browser for several tests of a package, because starting one takes a second or two of
// CPU time. TestMain closes it.
type Shared struct {
	start  sync.Once
	ctx    context.Context
	cancel func()
	folder string
	err    error
}

// Start is as the function Start, but the browser runs until Close.
func (s *Shared) Start(t testing.TB) context.Context {
	t.Helper()
	path := Path(t)
	s.start.Do(func() { s.err = s.launch(path) })
	errtest.Check(t, s.err)
	return s.ctx
}

func (s *Shared) launch(path string) (err error) {
	// Temporary files and user data of the browser are removed with this folder. The name is short,
	// because the path of a socket in it is limited.
	if s.folder, err = os.MkdirTemp("", "browser-"); err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TMPDIR="+s.folder, "HOME="+s.folder, "XDG_CONFIG_HOME="+s.folder, "XDG_CACHE_HOME="+s.folder),
		chromedp.Flag("disable-features", unwanted), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // fading in takes time, and elements are faint meanwhile
		chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	s.ctx, s.cancel = ctx, func() { cancel(); stop() }
	if err := chromedp.Do(ctx); err != nil {
		return fmt.Errorf("the browser %s does not start: %w", path, err)
	}
	return nil
}

// Close ends the browser, if a test has started it, and removes its folder.
func (s *Shared) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	if err := os.RemoveAll(s.folder); err != nil {
		fmt.Fprintln(os.Stderr, "remove what the browser has left:", err)
	}
}
