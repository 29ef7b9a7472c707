package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/safetext"
)

const (
	pollEvery = 250 * time.Millisecond
	dialFor   = time.Second
	// settleFor is how long files must be unchanged: an editor or a compiler writes several.
	settleFor = 300 * time.Millisecond
)

// changes returns a channel of reasons to run again: Enter was pressed, the partner restarted, or a
// file changed. Changes during a run are reported once, after it.
func changes(ctx context.Context, in io.Reader, address *url.URL, paths []string, reports string) (<-chan string, error) {
	why := make(chan string, 1)
	notify := func(reason string) {
		select {
		case why <- reason:
		default: // a run is already due
		}
	}
	if err := watchFiles(ctx, paths, reports, notify); err != nil {
		return nil, err
	}
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			notify("Enter was pressed")
		}
	}()
	ticker := time.NewTicker(pollEvery)
	go func() {
		defer ticker.Stop()
		watchRestarts(ctx, ticker.C, func() bool { return listens(ctx, address) }, notify)
	}()
	return why, nil
}

// watchRestarts calls notify when a partner that did not listen listens again.
func watchRestarts(ctx context.Context, tick <-chan time.Time, listens func() bool, notify func(string)) {
	up := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		was := up
		if up = listens(); up && !was {
			notify("The partner restarted")
		}
	}
}

// listens reports whether a server accepts connections at the address.
func listens(ctx context.Context, address *url.URL) bool {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	dialer := net.Dialer{Timeout: dialFor}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// watchFiles calls notify when a file at one of the paths changes, or any file below a folder. It
// ignores the reports folder, which each run writes.
func watchFiles(ctx context.Context, paths []string, reports string, notify func(string)) error {
	if len(paths) == 0 {
		return nil
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("--watch-path: files cannot be watched: %w", err)
	}
	for _, path := range paths {
		if err := addFolders(watcher, path, reports); err != nil {
			_ = watcher.Close() // report the first error only
			return fmt.Errorf("--watch-path %s cannot be watched: %w", path, fileerror.Reason(err))
		}
	}
	go func() {
		defer watcher.Close()
		changed, settled := "", time.NewTimer(0)
		<-settled.C
		for {
			select {
			case <-ctx.Done():
				return
			case event, open := <-watcher.Events:
				if !open {
					return
				}
				if event.Has(fsnotify.Create) {
					_ = addFolders(watcher, event.Name, reports) // it may already be gone
				}
				if !event.Has(fsnotify.Chmod) {
					changed = event.Name
					settled.Reset(settleFor)
				}
			case <-settled.C:
				notify(safetext.Line(changed) + " changed")
			case <-watcher.Errors: // an event may be lost; the next one is received
			}
		}
	}()
	return nil
}

// addFolders watches a path and all folders below it, except hidden folders and the reports folder.
func addFolders(watcher *fsnotify.Watcher, root, reports string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && !entry.IsDir():
			return nil
		case path != root && entry.Name()[0] == '.', isSame(path, reports):
			return filepath.SkipDir
		}
		return watcher.Add(path)
	})
}

func isSame(path, other string) bool {
	a, errA := filepath.Abs(path)
	b, errB := filepath.Abs(other)
	return errA == nil && errB == nil && a == b
}
