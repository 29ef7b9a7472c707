package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync/atomic"

	"github.com/chromedp/chromedp"

	"partnerkit.dev/internal/errtest"
)

// screenshots is the environment variable with the folder for screenshots.
const screenshots = "SCREENSHOTS"

// noFileName matches what a file's name does not contain.
var noFileName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// pictured counts the calls of Screenshot, so that no picture replaces another.
var pictured atomic.Int64

// Screenshot writes pictures of the whole page, on a wide and on a narrow screen, into the folder
// that SCREENSHOTS names. Their names begin with the test's name and end with the given one. Without
// the variable it does nothing.
func (tab *Tab) Screenshot(name string) {
	tab.T.Helper()
	folder := os.Getenv(screenshots)
	if folder == "" {
		return
	}
	errtest.Check(tab.T, os.MkdirAll(folder, 0o755))
	page, number := noFileName.ReplaceAllString(tab.T.Name()+Value[string](tab, `location.pathname`), "-"), pictured.Add(1)
	before := Value[int64](tab, `innerWidth`)
	for _, width := range []int64{1440, 390} {
		tab.Do(chromedp.EmulateViewport(width, 900))
		picture, err := chromedp.Run(tab.Context, chromedp.FullScreenshot(100))
		if err != nil {
			tab.fail(err.Error())
		}
		file := filepath.Join(folder, fmt.Sprintf("%.150s-%03d-%d-%s.png", page, number, width, name))
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			tab.T.Error(err)
		}
	}
	tab.Do(chromedp.EmulateViewport(before, 900))
}
