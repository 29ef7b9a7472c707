package main_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// dropAnswer lets the mock do what a call asks for and then drops the connection: the
// answer never arrives.
func dropAnswer(next http.Handler, w http.ResponseWriter, r *http.Request) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	answerBytes("")(w, r)
}

// changeFirstAnswer changes the first answer for each endpoint, code and booking id that is asked
// for with the good key.
func changeFirstAnswer(change change) change {
	var seen sync.Map
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+key {
			if _, known := seen.LoadOrStore(r.Method+r.URL.EscapedPath(), true); !known {
				change(next, w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	}
}

func TestHoldsAreUndoneEvenIfRulesFail(t *testing.T) {
	t.Parallel()
	broken := says(http.StatusInternalServerError, `{"message":"try again"}`)
	for name, partner := range map[string]struct {
		fails  string
		change change
	}{
		"the first release of every code is answered with 500":           {"release.status", changeEndpoint(partnerapi.Release, changeFirstAnswer(broken))},
		"the first cancellation of every booking is answered with 500":   {"cancel.status", changeEndpoint(partnerapi.Cancel, changeFirstAnswer(broken))},
		"the first release of every code says that nothing was released": {"release.success", changeEndpoint(partnerapi.Release, changeFirstAnswer(says(http.StatusOK, `{"success":false}`)))},
		"a booking is answered with a broken body": {"confirm.json", changeEndpoint(partnerapi.Confirm, changeFirstAnswer(func(next http.Handler, w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			text(http.StatusOK, "application/json", `{"externalBookingId":"`)(w, r)
		}))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock := newMock(t, mockpartner.Options{})
			r := judge(t, serveChanged(t, mock, partner.change))
			if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Equal(failed, []string{partner.fails}) {
				t.Errorf("want exit 1 for %q, got %d for %q\n%s", partner.fails, r.code, failed, r.notPassed())
			}
			allUndone(t, r, mock)
		})
	}
}

func TestHoldsAndBookingsThatCannotBeUndoneAreListed(t *testing.T) {
	t.Parallel()
	broken := says(http.StatusInternalServerError, "{}")
	for name, partner := range map[string]struct {
		change       change
		kind, reason string
	}{
		"the answer to every reserve is lost": {changeEndpoint(partnerapi.Reserve, dropAnswer), "hold", "reserve was never answered: there may be a hold"},
		"the answer to every confirm is lost": {changeEndpoint(partnerapi.Confirm, dropAnswer), "hold", "confirm was never answered: there may be a booking"},
		"release is answered with 500":        {changeEndpoint(partnerapi.Release, broken), "hold", "release was answered with 500 Internal Server Error"},
		"cancel is answered with 500":         {changeEndpoint(partnerapi.Cancel, broken), "booking", "cancel was answered with 500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), partner.change))
			if r.code != 1 || len(r.result.NotUndone) == 0 {
				t.Fatalf("want exit 1 and what was not undone, got %d and %+v\n%s", r.code, r.result.NotUndone, r.notPassed())
			}
			for _, left := range r.result.NotUndone {
				if left.Kind != partner.kind || !strings.Contains(left.Reason, partner.reason) || left.ProductID == "" || left.AvailabilityID == "" || left.Start == "" {
					t.Errorf("want a %s, where it is, and %q, got %+v", partner.kind, partner.reason, left)
				}
			}
			if strings.Count(r.stdout, "\nnot undone: ") != len(r.result.NotUndone) {
				t.Errorf("want a line for each on the screen, got\n%s", r.stdout)
			}
		})
	}
}

func TestAtMostTwoBookingsAreMadeWithAPartnerWithoutCancelAndBothAreListed(t *testing.T) {
	t.Parallel()
	mock, address := startMock(t, mockpartner.Options{Variants: []string{"no-cancel"}})
	r := judge(t, address, ofMock(address)...)
	made, listed := map[string]bool{}, map[string]bool{}
	for _, booking := range mock.Default().Bookings() {
		made[booking.ID] = true
	}
	for _, left := range r.result.NotUndone {
		listed[left.Code] = true
	}
	if r.code != 0 || len(made) > 2 || !maps.Equal(made, listed) {
		t.Errorf("want exit 0 and at most 2 bookings, all listed, got %d, made %v, listed %v\n%s", r.code, made, listed, r.notPassed())
	}
}

func TestAtMostFiveBookingsStayAtAPartnerWhoseCancellationsFail(t *testing.T) {
	t.Parallel()
	for name, match := range map[string]string{
		"every cancellation":               `{endpoint: cancel}`,
		"the cancellations of one product": `{endpoint: cancel, product: first}`,
		"each cancellation without a body": `{endpoint: cancel, no_body: true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario, err := mockpartner.ParseScenario("cancel.yaml", []byte("faults: [{match: "+match+", status: 500}]"))
			if err != nil {
				t.Fatal(err)
			}
			sold := catalog.Default()
			sold.Products = sold.Products[:2]
			_, address := startMock(t, mockpartner.Options{Scenario: scenario, Catalog: sold})
			r := judge(t, address, ofMock(address, "--depth", "standard", "--max-holds", "150")...)
			if left := len(r.result.NotUndone); r.code != 1 || left == 0 || left > 5 {
				t.Errorf("want exit 1 and 1 to 5 bookings that stay, got %d and %d\n%s", r.code, left, r.notPassed())
			}
		})
	}
}

// leave makes a ledger in a file as a killed run leaves it: with a hold at the
// partner of that address that was made as reserve says.
func leave(t *testing.T, address string, changes ...func(*ledger.Entry)) (account string) {
	t.Helper()
	account = filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := ledger.Create(account, ledger.Head{BaseURL: address, AuthType: partnerapi.Bearer}, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		entry, err := l.Attempt(ledger.Slot{ProductID: "lisbon-walk", OptionID: "small-group", AvailabilityID: "a", Start: "2026-07-01T09:00:00Z"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Record(entry, change)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return account
}

func isHeld(e *ledger.Entry) {
	e.State, e.Code, e.ExpiresAt = ledger.Held, "C1", time.Now().Add(20*time.Minute).Format(time.RFC3339)
}

func isBooked(e *ledger.Entry) { e.State, e.Code, e.BookingID = ledger.Booked, "C2", "B2" }

func isDoubtful(e *ledger.Entry) { e.State, e.Code = ledger.Doubtful, "C3" }

func isOver(e *ledger.Entry) { e.State = ledger.Undone }

func TestACleanupListsWhatItUndidAndLeavesNothing(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{}) // which releases and cancels what it does not know, as REL-4 and CAN-4 say
	account := leave(t, address, isHeld, isBooked, isDoubtful, isOver)
	r := start(t, withKey(), "cleanup", account).wait(t)
	for _, want := range []string{`undone: hold "C1" of product "lisbon-walk", option "small-group", slot "a"`, `undone: booking "B2"`, `undone: hold "C3"`, "3 undone, nothing is left\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want %q, got\n%s", want, r.stdout)
		}
	}
	if r.code != 0 || r.stderr != "" {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.stderr)
	}
	if again := start(t, withKey(), "cleanup", account).wait(t); again.code != 0 || again.stdout != "0 undone, nothing is left\n" {
		t.Errorf("want nothing to do the second time, got %d\n%s%s", again.code, again.stdout, again.stderr)
	}
}

func TestACleanupListsWhatItCannotUndoAndExits1(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusInternalServerError
		if partnerapi.EndpointOf(r) == partnerapi.Cancel {
			status = http.StatusMethodNotAllowed
		}
		http.Error(w, "{}", status)
	})
	account := leave(t, address, isHeld, isBooked, func(*ledger.Entry) {})
	r := start(t, withKey(), "cleanup", account).wait(t)
	for _, want := range []string{
		`not undone: hold "C1"`, "release was answered with 500 Internal Server Error; it expires at ",
		`not undone: booking "B2"`, "cancel was answered with 405 Method Not Allowed",
		"not undone: hold of product", "the run ended before reserve was answered: there may be a hold until it expires; reference conformance-",
		"; it has expired by ", "0 undone, 3 left\n",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want %q, got\n%s", want, r.stdout)
		}
	}
	if r.code != 1 {
		t.Errorf("want exit 1, got %d\n%s", r.code, r.stderr)
	}
}

func TestACleanupOfAPartnerThatIsNotReachedExits3AndCanBeRunAgain(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{})
	account := leave(t, "http://127.0.0.1:1", isHeld)
	if r := start(t, withKey(), "cleanup", account).wait(t); r.code != 3 || !strings.Contains(r.stdout, "the partner could not be reached") {
		t.Errorf("want exit 3, got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := start(t, withKey(), "cleanup", account, "--force", "--base-url", address).wait(t); r.code != 0 {
		t.Errorf("want it undone where the partner is now, got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestARunDoesNotOverwriteALedgerWithOpenHolds(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{})
	account := leave(t, address, isHeld)
	was, err := os.ReadFile(account)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, withKey(), "run", "--base-url", address, "--ledger", account).wait(t)
	if want := "run 'conformance cleanup " + account + "' first"; r.code != 2 || !strings.Contains(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("want exit 2 and one line with %q, got %d and %q", want, r.code, r.stderr)
	}
	if text, err := os.ReadFile(account); err != nil || string(text) != string(was) {
		t.Errorf("want the ledger as it was, got %v\n%s", err, text)
	}
	if r := start(t, withKey(), "cleanup", account).wait(t); r.code != 0 {
		t.Errorf("want it cleaned up, got %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := judge(t, address, "--ledger", account, "--read-only"); r.code != 0 || r.result.Ledger != account {
		t.Errorf("want a run then, with its ledger in the report, got %d and %q", r.code, r.result.Ledger)
	}
}

func badLedgers(t *testing.T, partner string) []misuse {
	diary := func() string { // for each its own, because a command locks it
		name := filepath.Join(t.TempDir(), "diary.txt")
		if err := os.WriteFile(name, []byte("Dear diary,\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	read, overwritten := diary(), diary()
	missing := filepath.Join(t.TempDir(), "missing", "ledger.jsonl")
	return []misuse{
		{name: "no ledger to clean up", args: []string{"cleanup"}, want: "cleanup: expected one ledger file, received 0"},
		{name: "two ledgers to clean up", args: []string{"cleanup", "a", "b"}, want: "expected one ledger file, received 2"},
		{name: "a ledger that is missing", args: []string{"cleanup", missing}, want: missing + ": no such file or directory"},
		{name: "a file that is not a ledger", args: []string{"cleanup", read}, want: read + ":1: expected a ledger"},
		{name: "a ledger without the key", args: []string{"cleanup", leave(t, partner, isHeld)}, key: none, want: "the key is missing"},
		{name: "a ledger with a bad base URL beside it", args: []string{"cleanup", leave(t, partner, isHeld), "--base-url", "partner"}, want: "--base-url does not begin with http:// or https://"},
		{name: "a ledger over a diary", args: []string{"run", "--base-url", partner, "--ledger", overwritten}, want: overwritten + ":1: expected a ledger, which begins with {\"ledger\":, received another file: name another file with --ledger"},
		{name: "a ledger in a folder that is missing", args: []string{"run", "--base-url", partner, "--ledger", missing}, want: "no such file or directory: name another file with --ledger"},
	}
}

func badBounds(partner string) []misuse {
	run := func(args ...string) []string { return append([]string{"run", "--base-url", partner}, args...) }
	return []misuse{
		{name: "fewer than no holds", args: run("--max-holds", "-1"), want: "expected a whole number, 0 or more"},
		{name: "half a booking", args: run("--max-bookings", "0.5"), want: "expected a whole number, 0 or more"},
		{name: "fewer than no calls", args: run("--max-rps", "-1"), want: "--max-rps -1: expected 1 or more calls a second"},
		{name: "a product without a name", args: run("--product", ""), want: "--product names nothing"},
		{name: "an option without a name", args: run("--option", "a,"), want: "--option names nothing"},
		{name: "an invalid date", args: run("--from", "2026-02-30"), want: `--from "2026-02-30": expected a date such as `},
		{name: "a date in another order", args: run("--to", "01.07.2026"), want: `--to "01.07.2026": expected a date such as `},
		{name: "a date that is over", args: run("--to", "2020-01-01"), want: "--to 2020-01-01: expected a date within today and the 60 days after it"},
		{name: "a date that is too far", args: run("--from", "2199-01-01"), want: "--from 2199-01-01: expected a date within today and the 60 days after it"},
		{name: "dates the wrong way round", args: run("--clock-url", partner, "--from", "2026-07-02", "--to", "2026-07-01"), want: "--from 2026-07-02 is after --to 2026-07-01"},
		{name: "JSON of a run", args: run("--json"), want: "--json needs --plan"},
	}
}
