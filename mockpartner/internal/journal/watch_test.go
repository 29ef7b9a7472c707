package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/mockpartner/client"
)

// check ends the test on an error.
var check = errtest.Check

func TestAWaitEndsWithTheLastExchangeThatItWants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{})
		enter(j, "GET", "/a", 200, "")
		ended := make(chan error, 1)
		go func() { ended <- j.Wait(t.Context(), client.Filter{Method: "GET"}, 3) }()
		synctest.Wait()
		enter(j, "GET", "/b", 200, "")
		enter(j, "POST", "/other", 200, "")
		last := j.Begin(client.Exchange{Method: "GET", Target: "/c"})
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("want it to wait for the end of the third, got %v", err)
		default:
		}
		last.End(200, client.Message{}, false)
		check(t, <-ended)
		if err := j.Wait(t.Context(), client.Filter{}, 4); err != nil {
			t.Fatalf("want no wait for what is there, got %v", err)
		}
		if len(j.watchers) != 0 {
			t.Fatalf("want no watcher left, got %d", len(j.watchers))
		}
	})
}

func TestAWaitStartsAgainWhenTheJournalIsCleared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{})
		enter(j, "GET", "/a", 200, "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- j.Wait(ctx, client.Filter{}, 2) }()
		synctest.Wait()
		j.Clear()
		enter(j, "GET", "/b", 200, "")
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || len(j.watchers) != 0 {
			t.Fatalf("want it to wait to its end, got %v", err)
		}
	})
}

func TestASubscriberReceivesTheArrivalAndTheEnd(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	enter(j, "GET", "/before", 200, "")
	s, err := j.Subscribe(client.Filter{Contains: "/wanted"})
	check(t, err)
	defer s.Close()
	entry := j.Begin(client.Exchange{Target: "/wanted"})
	arrived, err := s.Next(t.Context())
	if err != nil || arrived.Kind != Arrived || arrived.Exchange.Target != "/wanted" || arrived.Exchange.Done {
		t.Fatalf("want the arrival, got %+v, %v", arrived, err)
	}
	enter(j, "GET", "/other", 200, "")
	entry.End(200, client.Message{Body: client.Body("answer")}, false)
	ended, err := s.Next(t.Context())
	if err != nil || ended.Kind != Ended || string(ended.Exchange.Answer.Body) != "answer" {
		t.Fatalf("want the end, got %+v, %v", ended, err)
	}
}

func TestASlowSubscriberIsDroppedNotWaitedFor(t *testing.T) {
	t.Parallel()
	j := New(Limits{Exchanges: 10})
	s, err := j.Subscribe(client.Filter{})
	check(t, err)
	for i := range maxQueue {
		enter(j, "GET", fmt.Sprintf("/%d", i), 200, "")
	}
	if len(j.watchers) != 0 {
		t.Fatal("want it dropped")
	}
	// What it has queued is of exchanges that are gone, except for the last: they
	// are not kept for it.
	var last error
	read := 0
	for ; last == nil; read++ {
		_, last = s.Next(t.Context())
	}
	if !errors.Is(last, ErrSlow) || read > 2*10+1 {
		t.Fatalf("want few events and then ErrSlow, got %d and %v", read, last)
	}
}

func TestWatchersAreLimitedAndEndedAtShutdown(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	var first *Subscription
	for i := range MaxWatchers {
		s, err := j.Subscribe(client.Filter{})
		check(t, err)
		if i == 0 {
			first = s
		}
	}
	if _, err := j.Subscribe(client.Filter{}); !errors.Is(err, ErrBusy) {
		t.Fatalf("want ErrBusy, got %v", err)
	}
	if err := j.Wait(t.Context(), client.Filter{}, 1); !errors.Is(err, ErrBusy) {
		t.Fatalf("want ErrBusy, got %v", err)
	}
	j.Close()
	if _, err := first.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Fatalf("want ErrClosed, got %v", err)
	}
	if err := j.Wait(t.Context(), client.Filter{}, 1); !errors.Is(err, ErrClosed) {
		t.Fatalf("want ErrClosed, got %v", err)
	}
	enter(j, "GET", "/", 200, "")
	if j.Count().Kept != 1 {
		t.Fatal("want exchanges still kept")
	}
}

func TestExchangesAreFoundByWhatTheyTouchedAndSaid(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	hold := &client.Hold{Code: "R-1"}
	slot := &client.SlotState{AvailabilityID: "slot-1"}
	reserved := j.Begin(client.Exchange{Target: "/reserve", Request: client.Message{Body: client.Body("asked")}})
	reserved.RecordTouched(client.Facts{Slot: slot}, client.Facts{Slot: slot, Hold: hold})
	reserved.End(200, client.Message{Body: client.Body("told")}, false)
	confirmed := j.Begin(client.Exchange{Target: "/confirm"})
	confirmed.RecordTouched(client.Facts{Hold: hold}, client.Facts{Hold: hold, Booking: &client.Booking{ID: "B-1"}})
	confirmed.Consider([]client.Considered{{Fault: "late", Matched: true, Fired: true}})
	for want, filters := range map[string][]client.Filter{
		"/reserve":          {{Slot: "slot-1"}, {Body: "asked"}, {Body: "told"}, {Done: true}, {Hold: "R-1", Done: true}},
		"/confirm":          {{Booking: "B-1"}, {Fault: "late"}},
		"/reserve /confirm": {{Hold: "R-1"}, {}},
		"":                  {{Slot: "slot-2"}, {Hold: "B-1"}, {Booking: "B-1", Done: true}, {Body: "never"}, {Fault: "early"}},
	} {
		for _, f := range filters {
			if got := strings.Join(targets(j.Exchanges(f)), " "); got != want {
				t.Errorf("%+v: want %q, got %q", f, want, got)
			}
			if got := j.CountMatching(f); got != len(strings.Fields(want)) {
				t.Errorf("%+v: want %d counted, got %d", f, len(strings.Fields(want)), got)
			}
		}
	}
	j.Clear()
	if count := j.Count(); count.Bytes != 0 {
		t.Errorf("want nothing left to count, got %+v", count)
	}
}

func TestAnArchiveContainsTheExchanges(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	j.Begin(client.Exchange{Method: "POST", Target: "/availability?a=1&a=2&b=%2F", Request: client.Message{
		Header: http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer x"}}, Body: client.Body(`{"q":"<>"}`),
	}}).End(200, client.Message{Header: http.Header{"Content-Type": {"application/json"}}, Body: client.Body("[]")}, false)
	j.Begin(client.Exchange{Method: "GET", Target: "/products"}).End(502, client.Message{Body: client.Body("\xff\xfe")}, false)
	var text strings.Builder
	check(t, WriteHAR(&text, "http://127.0.0.1/s/mine", j.Exchanges(client.Filter{})))
	var archive struct {
		Log struct {
			Version string
			Entries []har.Entry
		}
	}
	if err := json.Unmarshal([]byte(text.String()), &archive); err != nil {
		t.Fatalf("%v: %s", err, text.String())
	}
	if archive.Log.Version != "1.2" || len(archive.Log.Entries) != 2 {
		t.Fatalf("want version 1.2 and two entries, got %+v", archive)
	}
	first, second := archive.Log.Entries[0], archive.Log.Entries[1]
	if first.Request.URL != "http://127.0.0.1/s/mine/availability?a=1&a=2&b=%2F" || len(first.Request.Query) != 3 || first.Request.Query[2] != (har.Pair{Name: "b", Value: "/"}) {
		t.Errorf("want URL and query, got %+v", first.Request)
	}
	if first.Request.PostData == nil || first.Request.PostData.Text != `{"q":"<>"}` || first.Request.PostData.MIMEType != "application/json" || first.Request.BodySize != 10 {
		t.Errorf("want the request's body, got %+v", first.Request)
	}
	if first.Request.Headers[0] != (har.Pair{Name: "Authorization", Value: "Bearer [redacted]"}) {
		t.Errorf("want headers without keys, got %+v", first.Request.Headers)
	}
	if first.Response.Status != 200 || first.Response.StatusText != "OK" || first.Response.Content.Text != "[]" || first.Started.IsZero() {
		t.Errorf("want the answer, got %+v", first)
	}
	if second.Request.PostData != nil || second.Response.Content.Encoding != "base64" || second.Response.Content.Text != "//4=" {
		t.Errorf("want a body of bytes in base64, got %+v", second)
	}
}

// failingWriter fails after some writes.
type failingWriter int

func (f *failingWriter) Write(p []byte) (int, error) {
	if *f--; *f < 0 {
		return 0, errors.New("broken")
	}
	return len(p), nil
}

func TestAWriterThatFailsEndsTheArchive(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	enter(j, "GET", "/", 200, "")
	enter(j, "GET", "/", 200, "")
	for writes := range 5 {
		if err := WriteHAR(new(failingWriter(writes)), "", j.Exchanges(client.Filter{})); err == nil {
			t.Errorf("want the error of write %d", writes+1)
		}
	}
}
