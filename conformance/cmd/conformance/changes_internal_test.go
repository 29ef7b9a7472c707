package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestARestartIsReportedWhenThePartnerListensAgain(t *testing.T) {
	t.Parallel()
	tick, reported := make(chan time.Time), make(chan string, 9)
	listening := []bool{true, false, false, true, true}
	next := 0
	listens := func() bool { next++; return listening[next-1] }
	go watchRestarts(t.Context(), tick, listens, func(why string) { reported <- why })
	for range listening {
		if len(reported) > 0 && next < 4 {
			t.Fatalf("Expected no report before the partner listens again, received it after %d polls", next)
		}
		tick <- time.Time{}
	}
	if why := <-reported; why != "The partner restarted" || len(reported) > 0 {
		t.Errorf("Expected one restart, received %q and %d more", why, len(reported))
	}
}

func TestAChangedFileIsReportedEvenInANewFolderButNotInTheReports(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	reports := filepath.Join(root, "reports")
	if err := os.Mkdir(reports, 0o755); err != nil {
		t.Fatal(err)
	}
	reported := make(chan string, 9)
	if err := watchFiles(t.Context(), []string{root}, reports, func(why string) { reported <- why }); err != nil {
		t.Fatal(err)
	}
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(reports, "report.json"))
	folder := filepath.Join(root, "new")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if why := <-reported; why != folder+" changed" {
		t.Fatalf("Expected the new folder, received %q", why)
	}
	write(filepath.Join(folder, "main.py"))
	if why := <-reported; why != filepath.Join(folder, "main.py")+" changed" {
		t.Errorf("Expected the file in it, received %q", why)
	}
}

func TestAPathThatIsMissingCannotBeWatched(t *testing.T) {
	t.Parallel()
	err := watchFiles(t.Context(), []string{filepath.Join(t.TempDir(), "gone")}, "", func(string) {})
	if err == nil || !strings.Contains(err.Error(), "--watch-path ") {
		t.Errorf("Expected the flag and the path named, received %v", err)
	}
}

func TestARunOfWatchingGetsTheFlagsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	given, again := newRun(nil).Flags(), newRun(nil).Flags()
	if err := given.Parse([]string{"--watch", "--rule", `one,"two,three"`, "--strict", "--max-holds=3"}); err != nil {
		t.Fatal(err)
	}
	if err := copyGiven(again, given); err != nil {
		t.Fatal(err)
	}
	given.VisitAll(func(want *pflag.Flag) {
		if got := again.Lookup(want.Name); got.Value.String() != want.Value.String() || got.Changed != want.Changed {
			t.Errorf("--%s: Expected %s (given: %t), received %s (%t)", want.Name, want.Value, want.Changed, got.Value, got.Changed)
		}
	})
}
