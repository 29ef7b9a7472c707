// Pictures updates the pictures of the README from real output: the output and report of make demo,
// and the console of the services of demo up.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mostTime limits the program's duration.
const mostTime = 5 * time.Minute

func main() {
	demo := flag.String("demo", ".demo", "the `folder` that make demo has left")
	bin := flag.String("bin", "build", "the `folder` of the commands")
	out := flag.String("out", "docs/pictures", "the `folder` for the pictures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	err := drawAll(ctx, *demo, *bin, *out)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// A picture is a screenshot of a page after some steps.
type picture struct {
	name          string
	width, height int64
	address       string
	steps         []chromedp.Action[chromedp.Void]
}

func drawAll(ctx context.Context, demo, bin, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	left := httptest.NewServer(http.FileServer(http.Dir(demo)))
	defer left.Close()
	log, err := transcript(filepath.Join(demo, "demo.log"))
	if err != nil {
		return err
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, log) }))
	defer page.Close()
	market, err := start(ctx, bin)
	if err != nil {
		return err
	}
	defer market.stop()
	allocator, end := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)...)
	defer end()
	browser, cancel := chromedp.NewContext(allocator)
	defer cancel()
	for _, p := range []picture{
		{"demo", 760, 640, page.URL, nil},
		{"report", 1200, 760, left.URL + "/broken/report.html", nil},
		{"console", 1200, 760, market.url + "/console", []chromedp.Action[chromedp.Void]{
			chromedp.SendKeys(chromedp.CSS(`input[type="email"]`), market.email),
			chromedp.SendKeys(chromedp.CSS(`input[type="password"]`), market.password+kb.Enter),
			chromedp.WaitVisible(chromedp.CSS(`form.out`)),
			chromedp.Navigate(market.url + "/console/integrations"),
			chromedp.Click(chromedp.CSS(`main a[href^="/console/integrations/"]`)),
			chromedp.WaitVisible(chromedp.CSS(`main svg`)),
		}},
	} {
		steps := append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(p.width, p.height), chromedp.Navigate(p.address)}, p.steps...)
		if err := chromedp.Do(browser, steps...); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		drawn, err := chromedp.Run(browser, chromedp.CaptureScreenshot())
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(out, p.name+".png"), drawn, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shownLines is the number of lines of the transcript in the picture. shownStep is the first step
// in it.
const (
	shownLines = 36
	shownStep  = "A customer holds two of them"
)

// transcript returns part of the demo's transcript as a page that looks like a terminal.
func transcript(name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("run make demo first: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, shownStep) })
	if first < 0 {
		return "", fmt.Errorf("%s: expected a step %q", name, shownStep)
	}
	lines = lines[first:]
	return `<!doctype html><style>body{margin:0;background:#1b2430;color:#d7dee8;font:13px/1.32 "DejaVu Sans Mono",monospace}pre{margin:16px 20px}</style><pre>` +
		html.EscapeString(strings.Join(lines[:min(len(lines), shownLines)], "\n")) + "</pre>", nil
}

// market is the marketplace of demo up with its operator's sign-in.
type market struct {
	url, email, password string
	stop                 func()
}

var invitation = regexp.MustCompile(`(?ms)^ +marketplace +(http://\S+)$.*^ +operator +(\S+), password ([^\n]+)\n`)

// start starts demo up and parses the operator's sign-in from its output.
func start(ctx context.Context, bin string) (*market, error) {
	left, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return nil, err
	}
	demo := exec.CommandContext(ctx, filepath.Join(bin, "demo"), "-bin", bin, "-out", left, "up")
	demo.Cancel = func() error { return demo.Process.Signal(syscall.SIGTERM) }
	demo.Stderr = os.Stderr
	output, err := demo.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := demo.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = demo.Cancel() // it may have ended already
		_ = demo.Wait()
		_ = os.RemoveAll(left)
	}
	printed := ""
	for lines := bufio.NewScanner(output); lines.Scan(); {
		printed += lines.Text() + "\n"
		if found := invitation.FindStringSubmatch(printed); found != nil {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return &market{found[1], found[2], found[3], stop}, nil
		}
	}
	stop()
	return nil, fmt.Errorf("expected an operator account in the output of demo up, received\n%s", printed)
}
