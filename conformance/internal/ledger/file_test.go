package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
)

const key = "the-key-that-no-ledger-holds"

var proof = ledger.Proof{AuthKey: key}

// begin creates a ledger in a file of its own, which is closed at the test's end.
func begin(t *testing.T) (*ledger.Ledger, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := ledger.Create(name, ledger.Head{BaseURL: "https://partner.example", AuthType: "bearer", SuiteVersion: "1.2.3"}, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, name
}

func TestAnAnnouncedCallWaitsUntilItsLineIsCopied(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	var copied []string
	l.Await(func() error {
		text, err := os.ReadFile(name)
		copied = append(copied, string(text))
		return err
	})
	entry, err := l.Attempt(ledger.Slot{ProductID: "p", OptionID: "o", AvailabilityID: "a"}, nil)
	if err != nil || len(copied) != 1 || strings.Count(copied[0], "\n") != 2 {
		t.Fatalf("want the attempt's line copied before it is made, got %q and %v", copied, err)
	}
	l.Record(entry, func(e *ledger.Entry) { e.State, e.Code = ledger.Doubtful, "c-1" })
	if len(copied) != 2 || !strings.Contains(copied[1], `"c-1"`) {
		t.Errorf("want the code copied before it is confirmed, got %q", copied)
	}
	l.Await(func() error { return errors.New("the reader is gone") })
	if _, err := l.Attempt(ledger.Slot{}, nil); err == nil {
		t.Error("want no further attempt")
	}
}

// reopenKilled ends a ledger as a run that is killed does, and opens it again.
func reopenKilled(t *testing.T, l *ledger.Ledger, name string) *ledger.Ledger {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := ledger.Open(name, proof)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	return again
}

func setHeld(code, expires string) func(*ledger.Entry) {
	return func(e *ledger.Entry) { e.State, e.Code, e.ExpiresAt = ledger.Held, code, expires }
}

func setBooked(id string) func(*ledger.Entry) {
	return func(e *ledger.Entry) { e.State, e.BookingID = ledger.Booked, id }
}

func setUndone(e *ledger.Entry) { e.State, e.Problem = ledger.Undone, "" }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// soonExpiry is when a hold that was made now ends.
func soonExpiry() string { return time.Now().Add(20 * time.Minute).Format(time.RFC3339) }

func TestALedgerIsRestoredFromItsFile(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	expires := soonExpiry()
	attempt(t, l, "walk")
	l.Record(attempt(t, l, "boat"), setHeld("code/with %2F and \u2028", expires))
	third := attemptFor(t, l, "tower", 3)
	l.Record(third, setHeld("C3", expires))
	l.Record(third, setBooked("B3"))
	l.Record(attempt(t, l, "museum"), setUndone)
	was := l.Entries()

	again := reopenKilled(t, l, name)
	if head := again.Head(); head.BaseURL != "https://partner.example" || head.AuthType != "bearer" || head.SuiteVersion != "1.2.3" || head.Run != l.Head().Run || head.StartedAt.IsZero() {
		t.Errorf("want what the ledger is about, got %+v", head)
	}
	entries := again.Entries()
	if len(entries) != len(was) {
		t.Fatalf("want %d entries, got %d", len(was), len(entries))
	}
	for i, entry := range entries {
		want := was[i]
		if entry.Slot != want.Slot || entry.State != want.State || entry.Code != want.Code || entry.ExpiresAt != want.ExpiresAt ||
			entry.BookingID != want.BookingID || entry.Reference != want.Reference || !entry.At.Equal(want.At) || entry.Units[0] != want.Units[0] {
			t.Errorf("entry %d: want %+v, got %+v", i+1, want, entry)
		}
	}
}

func TestALineThatWasTornAsTheRunWasKilledIsLeftOut(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	l.Record(attempt(t, l, "walk"), setHeld("C1", soonExpiry()))
	attempt(t, l, "boat")
	text := read(t, name)
	for cut := strings.LastIndex(text[:len(text)-1], "\n") + 1; cut < len(text); cut++ {
		torn := filepath.Join(t.TempDir(), "torn.jsonl")
		if err := os.WriteFile(torn, []byte(text[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := ledger.Open(torn, proof)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if entries := again.Entries(); len(entries) != 1 || entries[0].Code != "C1" {
			t.Fatalf("cut at %d: want the whole lines, got %+v", cut, entries)
		}
		again.Record(again.Open()[0], setUndone)
		if open := reopenKilled(t, again, torn).Open(); len(open) != 0 {
			t.Fatalf("cut at %d: want to go on behind the last whole line, got %d open", cut, len(open))
		}
	}
}

func TestAnInvalidLedgerIsRefusedWithItsFileAndLine(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	l.Record(attempt(t, l, "walk"), setHeld("C1", soonExpiry()))
	text := read(t, name)
	lines := strings.SplitAfter(text, "\n")
	for what, wrong := range map[string]struct{ text, want string }{
		"a diary":                        {"Dear diary,\n", ":1: expected a ledger"},
		"a diary of one line":            {"Dear diary", ":1: expected a ledger"},
		"nothing":                        {"", "the file is empty"},
		"a report":                       {"{\"verdict\":1}\n", ":1: expected a ledger"},
		"another version":                {strings.Replace(text, `{"ledger":2,`, `{"ledger":3,`, 1), ":1: expected a ledger of version 2, received 3"},
		"junk between":                   {lines[0] + "junk\n" + lines[1], ":2: expected a change to an entry"},
		"an unknown field":               {lines[0] + `{"entry":1,"colour":"red"}` + "\n", ":2: expected a change to an entry"},
		"two changes in a line":          {lines[0] + strings.TrimSpace(lines[1]) + lines[1], ":2: expected a change to an entry"},
		"a change of what is not there":  {lines[0] + lines[2], ":2: expected the attempt of entry 1"},
		"the same attempt twice":         {lines[0] + lines[1] + lines[1], ":3: expected entry 1 attempted once"},
		"an unknown state":               {lines[0] + strings.Replace(lines[1], `"attempted"`, `"lost"`, 1), `:2: expected a state, received "lost"`},
		"a change without its time":      {lines[0] + lines[1] + `{"entry":1,"state":"held"}` + "\n", `:3: expected its time in "at"`},
		"a line longer than any written": {lines[0] + strings.Repeat("x", 300<<10) + "\n", ":2: expected at most 256 KiB"},
	} {
		name := filepath.Join(t.TempDir(), "wrong.jsonl")
		if err := os.WriteFile(name, []byte(wrong.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Open(name, proof); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: want it refused with %q, got %v", what, name+wrong.want, err)
		}
		if what == "nothing" {
			continue // there is nothing that could be lost
		}
		if _, err := ledger.Create(name, ledger.Head{}, key); err == nil || read(t, name) != wrong.text {
			t.Errorf("%s: want no run to write over it, got %v", what, err)
		}
	}
}

func TestALedgerIsOverwrittenOnlyWhereNothingIsLeftToUndo(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Minute).Format(time.RFC3339)
	for what, left := range map[string]struct {
		change  func(*ledger.Entry)
		pending bool
	}{
		"an attempt without an answer":     {func(*ledger.Entry) {}, true},
		"a hold":                           {setHeld("C", soonExpiry()), true},
		"a hold that has expired":          {setHeld("C", past), false},
		"a booking":                        {setBooked("B"), true},
		"a hold or booking":                {func(e *ledger.Entry) { e.State, e.Code = ledger.Doubtful, "C" }, true},
		"a hold whose code is not known":   {func(e *ledger.Entry) { e.State = ledger.Unanswered }, false},
		"a booking that the partner keeps": {func(e *ledger.Entry) { e.State = ledger.Kept }, false},
		"what was undone":                  {setUndone, false},
	} {
		l, name := begin(t)
		l.Record(attempt(t, l, "walk"), left.change)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		was := read(t, name)
		next, err := ledger.Create(name, ledger.Head{BaseURL: "https://partner.example"}, key)
		switch {
		case left.pending && (!errors.Is(err, ledger.ErrPending) || read(t, name) != was):
			t.Errorf("%s: want it kept, got %v", what, err)
		case !left.pending && err != nil:
			t.Errorf("%s: want the next run to begin, got %v", what, err)
		case err == nil:
			if entries := reopenKilled(t, next, name).Entries(); len(entries) != 0 {
				t.Errorf("%s: want a ledger of its own, got %+v", what, entries)
			}
		}
	}
}

func TestTwoRunsCannotShareALedger(t *testing.T) {
	t.Parallel()
	_, name := begin(t)
	if _, err := ledger.Create(name, ledger.Head{}, key); !errors.Is(err, ledger.ErrInUse) {
		t.Errorf("want a second run refused, got %v", err)
	}
	if _, err := ledger.Open(name, proof); !errors.Is(err, ledger.ErrInUse) {
		t.Errorf("want a clean-up refused while the run is under way, got %v", err)
	}
}

func TestTheKeyIsInNoLedger(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := ledger.Create(name, ledger.Head{BaseURL: "https://partner.example/" + key}, key)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := l.Attempt(ledger.Slot{ProductID: key, OptionID: key, AvailabilityID: key, Start: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Record(entry, setHeld("code-"+key, key))
	l.Record(entry, setBooked("booking-"+key))
	l.Record(entry, func(e *ledger.Entry) { e.Problem = key })
	if entry.Code != "code-"+key {
		t.Errorf("want the run itself to know the code, got %q", entry.Code)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := ledger.Open(name, ledger.Proof{AuthKey: key, BaseURL: "https://partner.example/" + key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	if text := read(t, name); probe.NewRedactor(key).Scanner().Leaks([]byte(text)) {
		t.Errorf("want the key nowhere, got\n%s", text)
	}
	if left := again.Entries()[0]; again.Head().BaseURL != "" || left.Code != "" || left.BookingID != "" || !strings.Contains(left.Problem, "contains the auth key") {
		t.Errorf("want neither a wrong address nor a wrong code, and why, got %+v and %+v", again.Head(), left)
	}
}

func TestTextsOfAnyLengthLeaveTheLedgerSmall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 50<<10)
	l, name := begin(t)
	entry, err := l.Attempt(ledger.Slot{ProductID: long, OptionID: long, AvailabilityID: long, Start: long}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Record(entry, setHeld(long, long))
	l.Record(entry, setBooked(long))
	if size := len(read(t, name)); size > 20<<10 {
		t.Errorf("want it below 20 KB, got %d KB", size>>10)
	}
	reopenKilled(t, l, name)
}

func TestACallIsNotMadeIfTheLedgerCannotBeWritten(t *testing.T) {
	t.Parallel()
	l, _ := begin(t)
	entry := attempt(t, l, "walk")
	if err := l.Close(); err != nil { // as a disk that is full does
		t.Fatal(err)
	}
	l.Record(entry, setHeld("C", soonExpiry()))
	if l.Err() == nil || entry.Code != "C" {
		t.Errorf("Expected the trouble to be reported, and the code to be known to the run, received %v and %+v", l.Err(), *entry)
	}
	if _, err := l.Attempt(ledger.Slot{}, nil); err == nil {
		t.Error("want no attempt that is not on record")
	}
	if open := l.Open(); len(open) != 1 {
		t.Errorf("want what was not attempted not to be undone, got %d open", len(open))
	}
}

func TestAHoldThatWasNeverAnsweredEndsWithTheLongestThatThePartnerGives(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	l := ledger.New()
	l.SetClock(func() time.Time { return now })
	lost := attempt(t, l, "walk")
	if latest := l.LatestExpiry(*lost); latest.Sub(now) < 2*time.Hour || latest.Sub(now) > 2*time.Hour+5*time.Minute {
		t.Errorf("want 2 hours where none is known, got %s", latest.Sub(now))
	}
	for _, minutes := range []time.Duration{15, 30, 20} {
		l.Record(attempt(t, l, "boat"), setHeld("C", now.Add(minutes*time.Minute).Format(time.RFC3339)))
	}
	if latest := l.LatestExpiry(*lost); latest.Sub(now) < 30*time.Minute || latest.Sub(now) > 35*time.Minute {
		t.Errorf("want 30 minutes, the longest seen, got %s", latest.Sub(now))
	}
}
