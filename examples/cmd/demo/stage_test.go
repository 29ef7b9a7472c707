//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/buildtest"
)

// scene is a stage whose commands are scripts of the test.
func scene(t *testing.T, scripts map[string]string) (*stage, *strings.Builder) {
	t.Helper()
	bin, screen := t.TempDir(), &strings.Builder{}
	for name, script := range scripts {
		buildtest.Script(t, filepath.Join(bin, name), script)
	}
	s, err := open(bin, t.TempDir(), screen)
	check(t, err)
	return s, screen
}

func TestAFailedStepEndsTheDemoAndIsNamed(t *testing.T) {
	t.Parallel()
	s, screen := scene(t, nil)
	chapters := []chapter{{"First", []step{
		{"One", func(ctx context.Context, s *stage) error { return s.holds(ctx, nil, "all is well") }},
		{"Two", func(ctx context.Context, s *stage) error {
			return s.holds(ctx, errors.Join(want("the booking", "HELD", "LOST"), want("seats", 2, 1)), "never printed")
		}},
		{"Three", func(context.Context, *stage) error { t.Error("want the third step not taken"); return nil }},
	}}}
	_, err := s.play(t.Context(), chapters)
	if err == nil || !strings.HasPrefix(err.Error(), `step 2, "Two", does not hold: the booking: expected HELD, received LOST`) {
		t.Errorf("want the step named with what was wanted, got %v", err)
	}
	check(t, s.close())
	transcript, err := os.ReadFile(filepath.Join(s.out, "demo.log"))
	check(t, err)
	const reported = `
First

  1  One
      ok  all is well

  2  Two
    FAIL  the booking: expected HELD, received LOST; seats: expected 2, received
          1
`
	if screen.String() != reported || string(transcript) != reported {
		t.Errorf("want\n%s\ngot\n%s\nand in the transcript\n%s", reported, screen, transcript)
	}
}

func TestAnExpectedChangeIsReadUntilItHappens(t *testing.T) {
	t.Parallel()
	s, screen := scene(t, nil)
	looks := 0
	_, err := s.play(t.Context(), []chapter{{"First", []step{{"One", func(ctx context.Context, s *stage) error {
		return s.comes(ctx, func(context.Context) ([]string, error) {
			looks++
			return []string{"it has come"}, want("looks", 3, looks)
		})
	}}}}})
	check(t, errors.Join(err, s.close()))
	if !strings.Contains(screen.String(), "ok  it has come\n") {
		t.Errorf("Expected it to be reported, received %s", screen)
	}
}

func TestAServiceThatDoesNotStartIsNamedWithItsLastWords(t *testing.T) {
	t.Parallel()
	s, _ := scene(t, map[string]string{"mockpartner": "echo usage; echo 'mockpartner: no such flag' >&2; exit 2"})
	_, err := s.play(t.Context(), chapters(paces{})[:1])
	if err == nil || !strings.Contains(err.Error(), "mockpartner ended before it served (exit status 2): mockpartner: no such flag") {
		t.Errorf("want its last words, got %v", err)
	}
	check(t, s.close())
}

func TestADemoWithoutPostgreSQLSaysThatItUsesNoOtherDatabase(t *testing.T) {
	t.Parallel()
	s, _ := scene(t, map[string]string{"marketplace": "echo 'marketplace: install PostgreSQL, or give a database with MARKETPLACE_DATABASE_URL' >&2; exit 1"})
	err := s.startMarket(t.Context(), paces{})
	if err == nil || !strings.HasSuffix(err.Error(), "the demo uses only its own database)") {
		t.Errorf("Expected it to be reported, received %v", err)
	}
	check(t, s.close())
}

func TestCommandsThatAreNotBuiltAreNamed(t *testing.T) {
	t.Parallel()
	s, _ := scene(t, nil)
	if _, err := s.play(t.Context(), chapters(paces{})[:1]); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "start mockpartner") {
		t.Errorf("want an error that names mockpartner, got %v", err)
	}
	check(t, s.close())
}

func TestAServiceThatFailsIsReported(t *testing.T) {
	t.Parallel()
	s, _ := scene(t, map[string]string{"mockpartner": "trap 'echo mockpartner: requests were cut off >&2; exit 3' TERM; printf 'listening on http://127.0.0.1:'; sleep 0.3; echo 9; while :; do sleep 0.05; done"})
	_, err := s.serve(t.Context(), nil, "mockpartner")
	check(t, err)
	if err := s.close(); err == nil || !strings.Contains(err.Error(), "expected mockpartner to exit with 0, received exit status 3: mockpartner: requests were cut off") {
		t.Errorf("Expected it to be reported, received %v", err)
	}
}

func TestAnOldReportDoesNotPassForANewOne(t *testing.T) {
	t.Parallel()
	s, _ := scene(t, nil)
	check(t, os.MkdirAll(filepath.Join(s.out, "certified"), 0o700))
	own := filepath.Join(s.out, "notes.txt")
	for _, file := range []string{own, filepath.Join(s.out, "certified", "report.json")} {
		check(t, os.WriteFile(file, []byte("{}"), 0o600))
	}
	check(t, s.close())
	s, err := open(s.bin, s.out, &strings.Builder{})
	check(t, err)
	check(t, s.close())
	if _, err := os.Stat(filepath.Join(s.out, "certified")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want the old report gone, got %v", err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("want what is not the demo's left alone, got %v", err)
	}
}

func TestADemoLeavesARunningDemoUpAlone(t *testing.T) {
	t.Parallel()
	bin, out := t.TempDir(), t.TempDir()
	up, err := open(bin, folderOfUp(out), &strings.Builder{})
	check(t, err)
	up.fixedPorts = true
	kept := []string{up.scratch}
	for _, name := range left {
		kept = append(kept, filepath.Join(up.out, name), filepath.Join(up.scratch, name))
		check(t, errors.Join(os.WriteFile(kept[len(kept)-2], nil, 0o600), os.WriteFile(kept[len(kept)-1], nil, 0o600)))
	}
	demo, err := open(bin, out, &strings.Builder{})
	check(t, err)
	for service := range ports {
		if address := demo.address(service); address != loopbackAddress(0) {
			t.Errorf("want %s of the demo on any free port, got %s", service, address)
		}
	}
	if demo.scratch == up.scratch {
		t.Errorf("want a folder of its own for the demo's database, got %s", demo.scratch)
	}
	check(t, demo.close())
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("want it left to demo up: %v", err)
		}
	}
	check(t, up.close())
}

func TestLinesFitANarrowTerminal(t *testing.T) {
	t.Parallel()
	screen, transcript := &strings.Builder{}, &strings.Builder{}
	narrow := newPrinter(screen, transcript)
	narrow.width = 40
	narrow.step(1, "A marketplace starts, with its own PostgreSQL")
	narrow.printCall(201, "marketplace", "POST /api/v1/resellers/activities/01a2…/variations")
	narrow.printCall(0, "partner", "POST /availability")
	narrow.printCall(0, "partner", "POST /availability")
	narrow.holds("a text with \x1b[31mcolours\nof its own")
	const want = `
  1  A marketplace starts, with its own
     PostgreSQL
     201  marketplace POST
          /api/v1/resellers/activities/
          01a2…/variations
    none  partner POST /availability  (2
          times)
      ok  a text with  [31mcolours of
          its own
`
	if screen.String() != want || transcript.String() != want {
		t.Errorf("want\n%s\ngot\n%s", want, screen)
	}
}
