package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// asked is what a partner was asked for.
type asked struct {
	mu       sync.Mutex
	calls    map[partnerapi.Endpoint]int
	requests []partnerapi.AvailabilityRequest // and the part of reserves that has the same names
}

// startRecording notes what a mock is asked for.
func startRecording(t *testing.T, mock *mockpartner.Mock) (*asked, string) {
	t.Helper()
	recorded := &asked{calls: map[partnerapi.Endpoint]int{}}
	return recorded, serveChanged(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var request partnerapi.AvailabilityRequest
		_ = json.Unmarshal(body, &request)
		recorded.mu.Lock()
		recorded.calls[partnerapi.EndpointOf(r)]++
		if request.ProductID != "" {
			recorded.requests = append(recorded.requests, request)
		}
		recorded.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func TestAReadOnlyRunReadsTheCatalogAndAvailabilityAndNothingElse(t *testing.T) {
	t.Parallel()
	recorded, address := startRecording(t, newMock(t, mockpartner.Options{}))
	r := judge(t, address, "--read-only", "--clock-url", address+"/_mock/clock")
	for endpoint, calls := range recorded.calls {
		if endpoint != partnerapi.Products && endpoint != partnerapi.Availability && endpoint != "" {
			t.Errorf("want no %s, got %d", endpoint, calls)
		}
	}
	if recorded.calls[partnerapi.Availability] == 0 || r.code != 0 || r.result.Verdict != report.Partial {
		t.Errorf("want the catalog and availability judged, got exit %d\n%s", r.code, r.notPassed())
	}
	for _, one := range r.rulesWithoutExploring() {
		reads := one.Endpoint == partnerapi.Products || one.Endpoint == partnerapi.Availability
		if reads && one.Outcome != report.Passed || !reads && (one.Outcome != report.Skipped || !strings.Contains(one.Message, "--read-only")) {
			t.Errorf("%s: want what only reads passed, and the rest skipped because of --read-only, got %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
}

func TestAPartnerAtAnAddressThatIsNotPublicIsNotCalledWherePublicOnlyIsSet(t *testing.T) {
	t.Parallel()
	recorded, address := startRecording(t, newMock(t, mockpartner.Options{}))
	named := strings.Replace(address, "127.0.0.1", "localhost", 1) // a name leads there too
	for _, url := range []string{address, named} {
		r := judge(t, url, "--public-only")
		if r.code != 3 || !strings.Contains(r.notPassed(), "prohibited") {
			t.Errorf("%s: want exit 3 and the address refused, got exit %d\n%s", url, r.code, r.notPassed())
		}
	}
	if len(recorded.calls) > 0 {
		t.Errorf("want no call, got %v", recorded.calls)
	}
}

func TestNothingIsHeldUntilTheLedgerIsCopied(t *testing.T) {
	t.Parallel()
	recorded, address := startRecording(t, newMock(t, mockpartner.Options{}))
	r := judge(t, address, "--progress", "json", "--await-ledger") // standard input is empty
	if n := recorded.calls[partnerapi.Reserve]; n > 0 {
		t.Errorf("want no reserve sent, got %d", n)
	}
	if r.code == 0 || !strings.Contains(r.stdout, `{"ledger": true}`) {
		t.Errorf("want the caller asked to copy the ledger and the run not conformant, got exit %d\n%s", r.code, r.notPassed())
	}
}

func TestProgressInJSONIsALineForEachRuleAndItsLastOneIsTheReports(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{Defects: []string{"hold-without-code"}})
	r := judge(t, address, "--progress", "json", "--depth", "quick")
	lastLines := map[string]report.Outcome{}
	for line := range strings.Lines(r.stdout) {
		var of struct {
			ID      string         `json:"id"`
			Title   string         `json:"title"`
			Outcome report.Outcome `json:"outcome"`
		}
		if err := json.Unmarshal([]byte(line), &of); err != nil || of.ID == "" || of.Title == "" {
			t.Fatalf("want a rule as an object on each line, got %q (%v)", line, err)
		}
		lastLines[of.ID] = of.Outcome
	}
	for _, one := range r.rulesWithoutExploring() {
		if lastLines[one.ID] != one.Outcome {
			t.Errorf("%s: want %s in the last line about it, as in the report, got %q", one.ID, one.Outcome, lastLines[one.ID])
		}
	}
	if len(r.outcomes(report.Failed)) == 0 {
		t.Errorf("want the defect found, got\n%s", r.notPassed())
	}
}

func TestARunMakesNoMoreHoldsAndBookingsThanItMay(t *testing.T) {
	t.Parallel()
	for _, bounds := range []struct {
		flags           []string
		holds, bookings int
		names           string
	}{
		{[]string{"--max-holds", "0"}, 0, 0, "no more than 0 holds may be made (--max-holds)"},
		{[]string{"--max-holds", "4"}, 4, 4, "no more than 4 holds may be made (--max-holds)"},
		{[]string{"--max-bookings", "0"}, 1000, 0, "no more than 0 bookings may be made (--max-bookings)"},
		{[]string{"--max-bookings", "1", "--max-holds", "12"}, 12, 1, "no more than 1 booking may be made (--max-bookings)"},
	} {
		t.Run(strings.Join(bounds.flags, " "), func(t *testing.T) {
			t.Parallel()
			mock := newMock(t, mockpartner.Options{})
			_, address := startRecording(t, mock)
			r := judge(t, address, ofMock(address, bounds.flags...)...)
			inside := mock.Default().Platform()
			if holds, bookings := len(inside.Holds()), len(inside.Bookings()); holds > bounds.holds || bookings > bounds.bookings {
				t.Errorf("want at most %d holds and %d bookings, got %d and %d", bounds.holds, bounds.bookings, holds, bookings)
			}
			named := 0
			for _, one := range r.result.Rules {
				switch {
				case one.Outcome == report.Inconclusive && one.Message == bounds.names:
					named++
				case one.Outcome == report.Failed, one.Outcome == report.Warned:
					t.Errorf("want nothing reported about a lawful partner, got %s %s: %s", one.Outcome, one.ID, one.Message)
				}
			}
			if named == 0 || r.code != 0 {
				t.Errorf("want rules inconclusive because %s, got exit %d\n%s", bounds.names, r.code, r.notPassed())
			}
			allUndone(t, r, mock)
		})
	}
}

func TestOnlyTheProductsOptionsAndDatesThatAreNamedAreAskedForAndBooked(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{Catalog: catalog.Default()})
	recorded, address := startRecording(t, mock)
	from, to := time.Now().AddDate(0, 0, 10).Format(partnerapi.DateLayout), time.Now().AddDate(0, 0, 20).Format(partnerapi.DateLayout)
	r := judge(t, address, "--product", "lisbon-walk,tokyo-market", "--option", "small-group", "--from", from, "--to", to, "--label", "!/bad-input/")
	if failed := r.outcomes(report.Failed); r.code != 0 || len(failed) != 0 {
		t.Errorf("want exit 0, got %d for %q\n%s", r.code, failed, r.notPassed())
	}
	for _, request := range recorded.requests {
		if request.ProductID != "lisbon-walk" || request.OptionID != "small-group" || request.LocalDateStart != "" && (request.LocalDateStart < from || request.LocalDateEnd > to) {
			t.Errorf("want only small-group of lisbon-walk from %s to %s asked for, got %+v", from, to, request)
		}
	}
	if c := r.result.Coverage; c.OptionsAsked != 1 || c.Options != 12 || c.Products != 8 || c.Holds == 0 {
		t.Errorf("want the catalog judged whole, and one option booked, got %+v", c)
	}
	for _, booking := range mock.Default().Bookings() {
		if booking.ProductID != "lisbon-walk" {
			t.Errorf("want no other product booked, got %+v", booking)
		}
	}
}

func TestANameThatTheCatalogLacksLeavesTheVerdictIncompleteAndSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{})
	for _, unknown := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--product", "lisbon-walk,porto-walk"}, `--product: the catalog has no "porto-walk"; it has "lisbon-walk"`},
		{[]string{"--product", "lisbon-walk", "--option", "breakfast"}, `--option: there is no "breakfast"; there are "small-group"`},
	} {
		r := judge(t, address, append(unknown.flags, "--read-only")...)
		if r.code != 3 || r.result.Verdict != report.Incomplete || !strings.HasPrefix(r.result.Reason, unknown.want) {
			t.Errorf("want exit 3 and %q, got %d and %q", unknown.want, r.code, r.result.Reason)
		}
	}
}

func TestAPlanSaysWhatWouldBeDoneAndDoesNothing(t *testing.T) {
	t.Parallel()
	recorded, address := startRecording(t, newMock(t, mockpartner.Options{Catalog: catalog.Default()}))
	r := start(t, withKey(), "run", "--base-url", address, "--plan", "--json", "--max-holds", "7", "--product", "lisbon-walk,kuwait-museum").wait(t)
	var plan suite.Plan
	if err := json.Unmarshal([]byte(r.stdout), &plan); err != nil || r.code != 0 {
		t.Fatalf("want exit 0 and JSON, got %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	if plan.MaxHolds != 7 || plan.Holds != 7 || plan.MaxBookings == 0 || plan.CallsAtOnce < 2 || len(plan.Products) != 2 || plan.Ledger == "" {
		t.Errorf("want what the flags say, got %+v", plan)
	}
	for _, played := range plan.PlannedOptions {
		if played.ProductID != "lisbon-walk" && played.ProductID != "kuwait-museum" || played.AvailabilityID == "" || played.Start == "" || played.Slots == 0 {
			t.Errorf("want the slots that are likely to be held, got %+v", played)
		}
	}
	if len(plan.PlannedOptions) == 0 || recorded.calls[partnerapi.Reserve]+recorded.calls[partnerapi.Confirm]+recorded.calls[partnerapi.Release] > 0 {
		t.Errorf("want them named without any being held, got %+v and %v", plan.PlannedOptions, recorded.calls)
	}
	if len(r.files(t)) != 0 {
		t.Errorf("want nothing written, got %d files", len(r.files(t)))
	}
}

func TestARunBeginsWithItsPlan(t *testing.T) {
	t.Parallel()
	_, address := startMock(t, mockpartner.Options{})
	r := judge(t, address, "--read-only", "--max-rps", "1000")
	for _, want := range []string{"\nwrites  no holds and no bookings\n", "\nledger  " + r.dir} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want %q, got\n%s", want, r.stdout)
		}
	}
	p := start(t, withKey(), "run", "--base-url", address, "--depth", "standard", "--plan", "--max-rps", "2", "--max-duration", "5m").wait(t)
	if !strings.Contains(p.stdout, "at most 1000 and 300; each is released or cancelled again") || !strings.Contains(p.stdout, "not all rules will be judged") {
		t.Errorf("want what may be made, and that so few calls a second are too few, got\n%s", p.stdout)
	}
}

// onlyBadInput picks the rules about calls that make no sense, and what they may not
// be counted for.
const onlyBadInput = `/\.bad-input/ || availability.limit || availability.aim || reserve.nobody`

// answerBodies has a partner answer as it does, except for some bodies sent to one endpoint.
func answerBodies(endpoint partnerapi.Endpoint, odd func(body string) bool, answer http.HandlerFunc) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if partnerapi.EndpointOf(r) == endpoint && odd(string(body)) {
			answer(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}

func TestAny4xxOrIgnoredInputIsAccepted(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"an empty list":     text(http.StatusOK, "application/json", "[]"),
		"not found":         text(http.StatusNotFound, "text/plain", "no"),
		"an unusual status": text(http.StatusTeapot, "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			odd := func(body string) bool { return !json.Valid([]byte(body)) || !strings.HasPrefix(body, `{"productId"`) }
			r := judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), answerBodies(partnerapi.Availability, odd, answer)), "--label", onlyBadInput)
			if one := r.rule(t, "availability.bad-input"); one.Outcome != report.Passed {
				t.Errorf("want it passed, got %s: %s", one.Outcome, one.Message)
			}
		})
	}
}

func TestNonsenseLeavesNoHoldBehindAlsoWhereItIsTaken(t *testing.T) {
	t.Parallel()
	mock := newMock(t, mockpartner.Options{})
	// A partner that reads what it is sent as JSON, whatever it is declared as.
	address := serveChanged(t, mock, func(next http.Handler, w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		next.ServeHTTP(w, r)
	})
	r := judge(t, address, "--label", onlyBadInput)
	if r.code != 0 || len(r.outcomes(report.Warned)) != 0 {
		t.Errorf("want exit 0, got %d\n%s", r.code, r.notPassed())
	}
	if len(mock.Default().Holds()) == 0 {
		t.Error("want holds by bodies that are declared as text, got none")
	}
	allUndone(t, r, mock)
}
