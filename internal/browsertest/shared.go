package browsertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// unwanted are features that a browser runs in each window and that tests do not need. The
// suggestions of the address bar, for example, are pages that cost more than the tested one. The
// list begins with chromedp's own, because there can be only one list.
const unwanted = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

// keeper is a shell script that runs the browser, and ends it with its owner, also if the owner was
// killed. It then removes the browser's folder.
const keeper = `owner=$1 folder=$2; shift 2
"$@" &
while kill -0 "$owner" && kill -0 $!; do sleep 1; done 2>/dev/null
kill $! 2>/dev/null; wait; rm -rf "$folder"`

// shared returns the address of the run's browser. The process that creates the browser's folder
// starts the browser, and the others wait until its address is there.
func shared(path string) (string, error) {
	run, owner := ownerOfRun()
	folder := filepath.Join(os.TempDir(), "browser-"+run) // short, because the path of a socket in it is limited
	address := filepath.Join(folder, "address")
	err := os.Mkdir(folder, 0o700)
	switch {
	case err == nil:
		if err = launch(path, folder, address, owner); err != nil {
			_ = os.RemoveAll(folder)
		}
	case errors.Is(err, fs.ErrExist):
		err = appears(address)
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(address)
	return string(text), err
}

// ownerOfRun returns a name for the run of tests, and the process with which it ends. This is go
// test, which runs each package's binary in a folder of the run. A binary that is run otherwise has
// its own browser.
func ownerOfRun() (name string, pid int) {
	binary, _ := os.Executable()
	if name, ok := strings.CutPrefix(filepath.Base(filepath.Dir(filepath.Dir(binary))), "go-build"); ok {
		return name, os.Getppid()
	}
	return strconv.Itoa(os.Getpid()), os.Getpid()
}

// launch starts the browser under its keeper and writes its address to a file.
func launch(path, folder, address string, owner int) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.KeepOpen, remote.WebSocket, chromedp.UserDataDir(folder), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Env("TMPDIR="+folder, "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_CACHE_HOME="+folder),
		chromedp.Flag("disable-features", unwanted), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // fading in takes time, and elements are faint meanwhile
		chromedp.WSURLReadTimeout(patience),
		chromedp.ModifyCmdFunc(func(browser *exec.Cmd) {
			watched := exec.Command("sh", append([]string{"-c", keeper, "sh", strconv.Itoa(owner), folder}, browser.Args...)...)
			browser.Path, browser.Args, browser.Err = watched.Path, watched.Args, watched.Err
		}))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		return err
	}
	found, _ := chromedp.KeptOpen(ctx)
	fresh := address + ".new"
	if err := os.WriteFile(fresh, []byte(found), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, address)
}

// appears waits for a file.
func appears(file string) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(longestLook) {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return fmt.Errorf("it has ended: %w", err)
		}
	}
	return fmt.Errorf("no %s within %s", file, patience)
}
