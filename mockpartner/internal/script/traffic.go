package script

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// traffic is the callers' recent requests, for faults with a condition. It is recorded only while
// such faults are armed. It is safe for concurrent use.
type traffic struct {
	watched atomic.Bool

	mu          sync.Mutex
	recent      []*passing // oldest first
	connections map[string]connection
	count       int
}

// passing is a recent request.
type passing struct {
	request *http.Request
	about   map[string]any
	began   time.Time
	key     string // of the hold, booking, slot or option that it concerns
}

type connection struct{ calls, authorized int }

const (
	maxRecent      = 24
	maxConnections = 10_000
)

func (t *traffic) begin(s *subject) {
	if !t.watched.Load() {
		return
	}
	named := s.things()
	key := firstOf(named.code, named.slotID, named.productID+"/"+named.optionID)
	body, _ := s.json()
	authorized := s.presents(s.request, CredentialGood)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count++
	on := t.connections[connectionOf(s.request)]
	on.calls++
	if authorized {
		on.authorized++
	}
	if t.connections == nil || len(t.connections) > maxConnections {
		t.connections = map[string]connection{}
	}
	t.connections[connectionOf(s.request)] = on
	t.recent = append(t.recent, &passing{
		request: s.request, began: time.Now(), key: key,
		about: map[string]any{
			"endpoint": string(s.Endpoint), "body": body, "query": firstValues(s), "status": nil, "code": named.code,
			"product": named.productID, "option": named.optionID, "slot": named.slotID,
		},
	})
	if len(t.recent) > maxRecent {
		t.recent = slices.Delete(t.recent, 0, len(t.recent)-maxRecent)
	}
}

func (t *traffic) end(r *http.Request, status int) {
	if !t.watched.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.recent {
		if one.request == r {
			ended := map[string]any{}
			for name, value := range one.about {
				ended[name] = value
			}
			ended["status"] = status
			one.about, one.request = ended, nil
		}
	}
}

// describeTraffic adds the recent requests and the connection's counts to the properties of the request.
func (t *traffic) describeTraffic(s *subject, seen map[string]any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, underWay, key := []any{}, []any{}, ""
	for _, one := range slices.Backward(t.recent) {
		if one.request == s.request {
			key = one.key
		}
	}
	for _, one := range slices.Backward(t.recent) {
		if one.request == s.request {
			continue
		}
		view := map[string]any{"ago": time.Since(one.began).Seconds(), "same": key != "" && one.key == key}
		for name, value := range one.about {
			view[name] = value
		}
		if one.request != nil {
			underWay = append(underWay, view)
		} else {
			before = append(before, view)
		}
	}
	on := t.connections[connectionOf(s.request)]
	seen["before"], seen["under_way"], seen["count"] = before, underWay, t.count
	seen["connection"] = map[string]any{"calls": on.calls, "authorized": on.authorized}
}

func firstValues(s *subject) map[string]any {
	query := map[string]any{}
	for name, values := range s.query() {
		query[name] = values[0]
	}
	return query
}

func firstOf(words ...string) string {
	for _, word := range words {
		if word != "" && word != "/" {
			return word
		}
	}
	return ""
}

// describeRequest returns all properties of the request, as the predicate If sees them. They do not include
// the key that it presents.
func (s *subject) describeRequest() map[string]any {
	named := s.things()
	asked := client.Order{ProductID: named.productID, OptionID: named.optionID, AvailabilityID: named.slotID}
	body, _ := s.json()
	if s.Endpoint == partnerapi.Reserve || s.Endpoint == partnerapi.Availability {
		asked.Units = unitsOf(body)
	}
	seen := platform.DescribeSubject(s.platform, named.code, asked)
	headers := map[string]any{}
	for name, values := range s.request.Header {
		if name != "Authorization" {
			headers[strings.ToLower(name)] = values[0]
		}
	}
	seen["endpoint"], seen["method"], seen["body"], seen["query"], seen["headers"] = string(s.Endpoint), s.request.Method, body, firstValues(s), headers
	seen["bytes"] = len(s.body)
	seen["names"] = map[string]any{"product": named.productID, "option": named.optionID, "slot": named.slotID, "code": named.code, "booking": named.bookingID}
	s.traffic.describeTraffic(s, seen)
	return seen
}

func unitsOf(body any) (units []partnerapi.UnitQuantity) {
	object, _ := body.(map[string]any)
	list, _ := object["units"].([]any)
	for _, one := range list {
		fields, _ := one.(map[string]any)
		number, _ := fields["quantity"].(interface{ Int64() (int64, error) })
		if number == nil {
			continue
		}
		quantity, _ := number.Int64()
		units = append(units, partnerapi.UnitQuantity{ID: field(one, "id"), Quantity: int(quantity)})
	}
	return units
}
