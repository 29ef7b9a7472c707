package script

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"partnerkit.dev/internal/bounded"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// ErrNotRepeatable is returned when no fault can repeat a recorded exchange's answer.
var ErrNotRepeatable = errors.New("no fault can repeat this exchange")

// ArmRecorded arms a fault that repeats the exchange's answer on the next call to its endpoint. It
// comes before the other faults, and is the last for that call, because their effects are part of
// the recorded answer. Its error wraps ErrNotRepeatable or ErrFull.
func (s *Set) ArmRecorded(e client.Exchange) ([]Armed, error) {
	f, err := repeatExchange(e)
	if err != nil {
		return nil, err
	}
	if f.Wire == fault.EmptyResponse {
		// Callers can tell a reset from an end. The fault that caused this exchange knows which it
		// was.
		for _, a := range slices.Backward(s.Faults()) { // the first one broke it
			if slices.Contains(e.Faults, a.Name) {
				f.Wire = cmp.Or(a.Wire, f.Wire)
			}
		}
	}
	return s.arm([]Fault{f}, func(armed, added []*armed) []*armed { return append(added, armed...) })
}

const (
	// shortestDelay is the shortest answer time that a fault repeats. Shorter times come from the
	// machine.
	shortestDelay = 100 * time.Millisecond
	// beyondPatience is added to the delay for a caller that left without the answer, so that it
	// leaves again.
	beyondPatience = time.Second
	// maxRecorded is the maximum body that a fault repeats, in bytes.
	maxRecorded = 1 << 20
)

// repeatExchange returns the fault that repeats the exchange's answer for one call. The call takes effect
// if the exchange changed something.
func repeatExchange(e client.Exchange) (f Fault, err error) {
	if !e.Done {
		return f, fmt.Errorf("%w: it is still in progress", ErrNotRepeatable)
	}
	f = Fault{Match: matchOf(e), Times: 1, Last: true}
	if e.Before != nil && !reflect.DeepEqual(e.Before, e.After) {
		f.When = fault.After
	}
	took := time.Duration(e.Duration)
	if e.LeftAfter != nil {
		took = max(took, time.Duration(*e.LeftAfter)) + beyondPatience
	}
	if took >= shortestDelay {
		wait := platform.Duration(min(took.Round(time.Millisecond), platform.MaxDuration))
		f.Delay = &fault.Delay{Fixed: &wait}
	}
	switch f.Status = e.Status; {
	case e.Status == 0:
		f.Wire = fault.EmptyResponse
		return f, nil
	case cutOff(e):
		f.Wire = fault.MalformedResponseChunk
		return f, nil
	}
	text, zipped, err := bodyOf(e.Answer)
	if err != nil {
		return f, err
	}
	f.Body, f.Headers = text, headersOf(e.Answer.Header)
	if zipped {
		f.Send = &fault.Send{Gzip: true}
	}
	return f, nil
}

// matchOf returns a match for calls like that of the exchange.
func matchOf(e client.Exchange) Match {
	path, query, _ := strings.Cut(e.Target, "?")
	if e.Endpoint != partnerapi.Products {
		if e.Endpoint == "" {
			return Match{Method: e.Method, Path: path}
		}
		return Match{Endpoint: e.Endpoint}
	}
	// Only the limit distinguishes a health probe from a catalog sync.
	m := Match{Endpoint: e.Endpoint, Query: map[string]string{}}
	values, _ := url.ParseQuery(query) // an invalid query matches every query
	for name := range values {
		if m.Query[name] = "*"; name == "limit" {
			m.Query[name] = values.Get(name)
		}
	}
	if len(m.Query) == 0 {
		m.If = ".query == {}"
	}
	return m
}

// cutOff reports whether the connection broke within the answer, and not because of the caller.
func cutOff(e client.Exchange) bool {
	length, err := strconv.Atoi(e.Answer.Header.Get("Content-Length"))
	return !e.Delivered && e.LeftAfter == nil && (err != nil || len(e.Answer.Body) < length) && !e.Answer.Truncated
}

// bodyOf returns the text of an answer's body, and whether it was sent compressed.
func bodyOf(m client.Message) (text string, zipped bool, err error) {
	body := []byte(m.Body)
	zipped = len(body) > 0 && m.Header.Get("Content-Encoding") == "gzip"
	large := len(body) > maxRecorded
	if zipped && !m.Truncated {
		from, err := bounded.Decompress("gzip", bytes.NewReader(body))
		if err == nil {
			body, err = bounded.ReadAll(from, maxRecorded)
		}
		if large = errors.Is(err, bounded.ErrTooLarge); err != nil && !large {
			return "", zipped, fmt.Errorf("%w: its body cannot be decompressed: %v", ErrNotRepeatable, err)
		}
	}
	switch {
	case m.Truncated || large:
		return "", zipped, fmt.Errorf("%w: its body is larger than %d MiB", ErrNotRepeatable, maxRecorded>>20)
	case !utf8.Valid(body):
		return "", zipped, fmt.Errorf("%w: its body is not text", ErrNotRepeatable)
	}
	return string(body), zipped, nil
}

// headersOf returns the headers of an answer that do not depend on how, when and to whom it was sent.
func headersOf(header http.Header) *fault.Headers {
	kept := &fault.Headers{Set: map[string]string{}}
	for name, values := range header {
		switch name = http.CanonicalHeaderKey(name); {
		case len(values) == 0, strings.HasPrefix(name, "Access-Control-"),
			slices.Contains([]string{"Content-Length", "Transfer-Encoding", "Connection", "Content-Encoding", "Date", "Vary"}, name):
		default:
			kept.Set[name] = strings.Join(values, ", ")
		}
	}
	if kept.Set["Content-Type"] == "" {
		kept.Remove = []string{"Content-Type"} // otherwise a fault's answer would have one
	}
	return kept
}
