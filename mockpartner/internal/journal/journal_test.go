package journal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// enter keeps one exchange as the mock does.
func enter(j *Journal, method, target string, status int, answer string) Entry {
	entry := j.Begin(client.Exchange{Method: method, Target: target})
	entry.End(status, client.Message{Body: client.Body(answer)}, false)
	return entry
}

func targets(exchanges []client.Exchange) (all []string) {
	for _, e := range exchanges {
		all = append(all, e.Target)
	}
	return all
}

func TestExchangesAreKeptInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	first := j.Begin(client.Exchange{Endpoint: partnerapi.Products, Method: "GET", Target: "/a"})
	enter(j, "GET", "/b", 200, "b")
	if kept := j.Exchanges(client.Filter{}); kept[0].Done || kept[0].Status != 0 || kept[0].Number != 1 {
		t.Fatalf("want the first exchange still under way, got %+v", kept[0])
	}
	first.End(500, client.Message{Body: client.Body("late")}, false)
	kept := j.Exchanges(client.Filter{})
	if got := targets(kept); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Fatalf("want /a and /b, got %v", got)
	}
	if e := kept[0]; !e.Done || e.Status != 500 || string(e.Answer.Body) != "late" || e.Endpoint != partnerapi.Products || e.Duration <= 0 {
		t.Fatalf("want the first exchange with its answer, got %+v", e)
	}
}

func TestExchangesAreFoundByWhatTheyAre(t *testing.T) {
	t.Parallel()
	j := New(Limits{})
	for i, c := range []struct {
		endpoint partnerapi.Endpoint
		method   string
		status   int
	}{{partnerapi.Products, "GET", 200}, {partnerapi.Release, "DELETE", 200}, {partnerapi.Release, "DELETE", 401}, {partnerapi.Reserve, "POST", 400}} {
		entry := j.Begin(client.Exchange{Endpoint: c.endpoint, Method: c.method, Target: fmt.Sprintf("/%d", i+1)})
		entry.End(c.status, client.Message{}, false)
	}
	for name, c := range map[string]struct {
		filter client.Filter
		want   []string
	}{
		"all":         {client.Filter{}, []string{"/1", "/2", "/3", "/4"}},
		"by endpoint": {client.Filter{Endpoint: partnerapi.Release}, []string{"/2", "/3"}},
		"by method":   {client.Filter{Method: "delete"}, []string{"/2", "/3"}},
		"by status":   {client.Filter{Status: 200}, []string{"/1", "/2"}},
		"by target":   {client.Filter{Contains: "4"}, []string{"/4"}},
		"by number":   {client.Filter{After: 3}, []string{"/4"}},
		"the newest":  {client.Filter{Limit: 2}, []string{"/3", "/4"}},
		"together":    {client.Filter{Endpoint: partnerapi.Release, Status: 200, Limit: 5}, []string{"/2"}},
		"none":        {client.Filter{Status: 599}, nil},
	} {
		if got := targets(j.Exchanges(c.filter)); !slices.Equal(got, c.want) {
			t.Errorf("%s: want %v, got %v", name, c.want, got)
		}
	}
}

func TestTheOldestExchangesGoWhenTheyAreTooLarge(t *testing.T) {
	t.Parallel()
	j := New(Limits{Bytes: 10_000})
	for i := range 5 {
		enter(j, "GET", fmt.Sprintf("/%d", i+1), 200, strings.Repeat("x", 4000))
	}
	if got := targets(j.Exchanges(client.Filter{})); !slices.Equal(got, []string{"/4", "/5"}) {
		t.Fatalf("want the newest two, got %v", got)
	}
	if count := j.Count(); count.Bytes > 10_000 {
		t.Fatalf("want at most 10000 bytes, got %d", count.Bytes)
	}
	enter(j, "GET", "/huge", 200, strings.Repeat("x", 50_000))
	if got := targets(j.Exchanges(client.Filter{})); !slices.Equal(got, []string{"/huge"}) {
		t.Fatalf("want the newest kept whatever its size, got %v", got)
	}
}

func TestASharedBodyCountsOnce(t *testing.T) {
	t.Parallel()
	j := New(Limits{Bytes: 100_000})
	body := client.Body(strings.Repeat("x", 50_000))
	for i := range 20 {
		j.Begin(client.Exchange{Target: fmt.Sprintf("/%d", i)}).End(200, client.Message{Body: body}, true)
	}
	kept := j.Exchanges(client.Filter{})
	if len(kept) != 20 || &kept[0].Answer.Body[0] != &body[0] {
		t.Fatalf("want 20 exchanges that hold the same body, got %d", len(kept))
	}
	j.Clear()
	if count := j.Count(); count.Bytes != 0 || count.Kept != 0 || count.Arrived != 20 {
		t.Fatalf("want an empty journal that has seen 20, got %+v", count)
	}
	enter(j, "GET", "/next", 200, "")
	if number := j.Exchanges(client.Filter{})[0].Number; number != 21 {
		t.Fatalf("want numbers to go on with 21, got %d", number)
	}
}

func TestAnExchangeThatHasGoneMayStillEnd(t *testing.T) {
	t.Parallel()
	j := New(Limits{Exchanges: 1})
	gone := j.Begin(client.Exchange{Target: "/gone"})
	enter(j, "GET", "/kept", 200, "")
	before := j.Count()
	gone.End(200, client.Message{Body: client.Body("late")}, true)
	if after := j.Count(); after != before {
		t.Fatalf("want nothing to change, %+v, got %+v", before, after)
	}
}

func TestCredentialsNeverEnter(t *testing.T) {
	t.Parallel()
	const key = "s3cret/key+&"
	j := New(Limits{}, key, "short")
	j.Begin(client.Exchange{
		Target: "/products?key=s3cret%2Fkey%2B%26&short",
		Request: client.Message{
			Header: http.Header{
				"Authorization": {"Bearer " + key, "Bearer other", key, "other key"},
				"Cookie":        {"session=1"},
				"X-Api-Key":     {key},
				"X-Other":       {"short and innocent"},
			},
			Body: client.Body(`{"key":"` + key + `","short":1}`),
		},
	})
	e := j.Exchanges(client.Filter{})[0]
	text, err := json.Marshal(e)
	check(t, err)
	for _, secret := range []string{"s3cret", "session", "other"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("want no %q in the journal, got %s", secret, text)
		}
	}
	if got := e.Request.Header["Authorization"]; !slices.Equal(got, []string{"Bearer [redacted]", "Bearer [redacted]", "[redacted]", "[redacted]"}) {
		t.Errorf("want the form of each credential, got %q", got)
	}
	if got := e.Request.Header.Get("X-Other"); got != "short and innocent" {
		t.Errorf("want innocent text left alone, got %q", got)
	}
}

func TestBodiesAreJSONStringsOrBase64(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"":         `""`,
		`{"a":1}`:  `"{\"a\":1}"`,
		"Größe":    `"Größe"`,
		"\xff\xfe": `{"base64":"//4="}`,
	} {
		got, err := json.Marshal(client.Body(body))
		if err != nil || string(got) != want {
			t.Errorf("%q: want %s, got %s, %v", body, want, got, err)
		}
		var back client.Body
		if err := json.Unmarshal(got, &back); err != nil || string(back) != body {
			t.Errorf("%q: want it back, got %q, %v", body, back, err)
		}
	}
}

// Many exchanges hold the whole catalog, which may be larger than the limit.
func TestTheLargestSharedBodyLeavesRoomForAllWhoHoldIt(t *testing.T) {
	t.Parallel()
	j := New(Limits{Exchanges: 100, Bytes: 20 * entryWeight})
	catalog, changed := client.Body(strings.Repeat("c", 1<<20)), client.Body(strings.Repeat("d", 2<<20))
	answer := func(body client.Body, times int) {
		for range times {
			j.Begin(client.Exchange{}).End(200, client.Message{Body: body}, true)
		}
	}
	kept := func(want int) {
		t.Helper()
		if count := j.Count(); count.Kept != want {
			t.Fatalf("want %d exchanges, got %+v", want, count)
		}
	}
	answer(catalog, 15)
	kept(15)
	answer(client.Body("[]"), 3)
	kept(18)
	answer(changed, 1) // the catalog before it has to go, with all who hold it before the others
	kept(4)
	answer(changed, 30)
	kept(20)
	answer(client.Body("[]"), 10)
	answer(client.Body("{}"), 9) // the catalog after it has gone too
	kept(19)
	answer(client.Body("[]"), 1)
	kept(19)
	j.Clear()
	if count := j.Count(); count.Bytes != 0 {
		t.Fatalf("want nothing kept, got %+v", count)
	}
}

func TestManyMayWriteAndReadConcurrently(t *testing.T) {
	t.Parallel()
	j := New(Limits{Exchanges: 50, Bytes: 100_000})
	shared := client.Body(strings.Repeat("x", 10_000))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 500 {
				entry := j.Begin(client.Exchange{Endpoint: partnerapi.Products, Target: "/"})
				entry.End(200, client.Message{Body: shared}, i%2 == 0)
				j.Exchanges(client.Filter{Limit: 3})
				if i%100 == 0 {
					j.Clear()
				}
			}
		})
	}
	all.Wait()
	j.Clear()
	if count := j.Count(); count.Arrived != 4000 || count.Kept != 0 || count.Bytes != 0 {
		t.Fatalf("want 4000 arrived and nothing kept, got %+v", count)
	}
}

func TestAnExchangeRecordsWhetherItsAnswerWasDelivered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		report    func(Entry)
		delivered bool
		left      bool
	}{
		"sent whole":                     {func(e Entry) { e.RecordDelivered(); e.End(200, client.Message{}, false) }, true, false},
		"broken off":                     {func(e Entry) { e.End(200, client.Message{}, false) }, false, false},
		"lost on its way":                {func(e Entry) { e.RecordDelivered(); e.End(200, client.Message{}, false); e.RecordLost() }, false, false},
		"the caller had left":            {func(e Entry) { e.RecordLeft(); e.RecordDelivered(); e.End(200, client.Message{}, false) }, false, true},
		"the caller leaves after it":     {func(e Entry) { e.RecordDelivered(); e.End(200, client.Message{}, false); e.RecordLeft() }, true, false},
		"the caller left, no answer yet": {func(e Entry) { e.RecordLeft() }, false, true},
	} {
		j := New(Limits{})
		c.report(j.Begin(client.Exchange{}))
		if e := j.Exchanges(client.Filter{})[0]; e.Delivered != c.delivered || (e.LeftAfter != nil) != c.left {
			t.Errorf("%s: want delivered %t and left %t, got %t and %v", name, c.delivered, c.left, e.Delivered, e.LeftAfter)
		}
	}
}

func TestARecordStatesWhatIsMissing(t *testing.T) {
	t.Parallel()
	j := New(Limits{Exchanges: 3})
	enter(j, "GET", "/a", 200, "")
	if r := j.Record(); !slices.Equal(targets(r.Exchanges), []string{"/a"}) || r.Cleared != 0 || r.Dropped != 0 {
		t.Errorf("want nothing missing, got %+v", r)
	}
	enter(j, "GET", "/b", 200, "")
	j.Clear()
	for _, target := range []string{"/c", "/d", "/e", "/f"} {
		enter(j, "GET", target, 200, "")
	}
	if r := j.Record(); !slices.Equal(targets(r.Exchanges), []string{"/d", "/e", "/f"}) || r.Cleared != 2 || r.Dropped != 1 {
		t.Errorf("want 2 cleared and 1 dropped, got %+v", r)
	}
}
