// Package recording reads recorded calls of the partner contract: HTTP archives (HAR 1.2), as browsers,
// proxies, the mock and the suite write them, or archive entries, one per line. Files are read as streams.
// Several files are one history of one partner.
package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"partnerkit.dev/internal/bounded"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas/partnerapi"
)

// Exchange is one recorded contract call and its answer.
type Exchange struct {
	har.Exchange
	Endpoint   partnerapi.Endpoint // "" if the call cannot be read
	Named      string              // the reservation code or booking id in the path
	Segment    string              // the same, still escaped
	Base       string              // the address that the contract's paths are below
	KeyUnknown bool                // it has no key, and neither has any other call of its file so far
	Missed     bool                // it cannot be judged, because it cannot be read or is too far out of order
}

// ContractCall returns the contract call in an entry; false for any other call, and for an answer that the
// client gave itself.
func ContractCall(e *har.Exchange) (x *Exchange, is bool) {
	x = &Exchange{Exchange: *e, Missed: e.Unreadable != ""}
	if e.URL == nil {
		return x, slices.ContainsFunc([]string{bookingsPath, partnerapi.ProductsPath, partnerapi.AvailabilityPath}, func(path string) bool {
			return strings.Contains(e.Address, path)
		})
	}
	x.Endpoint, x.Segment, x.Named, is = partnerapi.CallOf(e.Method, e.URL)
	path := bookingsPath
	switch x.Endpoint {
	case partnerapi.Products:
		path = partnerapi.ProductsPath
	case partnerapi.Availability:
		path = partnerapi.AvailabilityPath
	}
	x.Base = baseOf(e.URL, path)
	return x, is && !e.Cached
}

// answerLimits limits the answers of an endpoint. What is larger is unknown, as the marketplace does not read it.
// A value takes some hundred bytes when it is decoded. Nothing decodes more than 10,000 levels.
func answerLimits(of partnerapi.Endpoint) bounded.Limits {
	switch of {
	case partnerapi.Products:
		return bounded.Limits{Bytes: 32 << 20, Depth: 10_000, Values: 4_000_000}
	case partnerapi.Availability:
		return bounded.Limits{Bytes: 16 << 20, Depth: 10_000, Values: 2_000_000}
	default:
		return bounded.Limits{Bytes: 4 << 20, Depth: 10_000, Values: 100_000}
	}
}

// requestLimits limits the requests. A marketplace sends a few lines.
var requestLimits = bounded.Limits{Bytes: 1 << 20, Depth: 10_000, Values: 100_000}

// Expand decodes and decompresses the bodies of a call that was read from an archive.
func (x *Exchange) Expand() { x.Exchange.Expand(requestLimits, answerLimits(x.Endpoint)) }

// Limit is Expand for a call that was not read from an archive. coding is the Content-Encoding of its answer. A body
// that is incomplete, or not within the limits, becomes unknown.
func (x *Exchange) Limit(coding string) {
	var err error
	if x.Body, err = bounded.Body("", x.Body, requestLimits); err != nil {
		x.BodyCut = true
	}
	if !x.AnswerCut {
		x.Answer, err = bounded.Body(coding, x.Answer, answerLimits(x.Endpoint))
		x.AnswerCut = err != nil
	}
	if x.AnswerCut {
		x.Answer = nil // it may end within a name
	}
}

// MayChange reports whether the call may change holds and bookings.
func (x *Exchange) MayChange() bool {
	return x.Endpoint != partnerapi.Products && x.Endpoint != partnerapi.Availability
}

// IsSame reports whether two records are of one call: they agree in what both tell. Records of different
// recorders may each tell another part of it.
func (x *Exchange) IsSame(y *Exchange, differ bool) bool {
	agree := func(a, b []byte, unknown bool) bool { return unknown && differ || bytes.Equal(a, b) }
	return !x.Missed && !y.Missed && x.Started.Equal(y.Started) && x.Took == y.Took && x.Method == y.Method && x.Address == y.Address &&
		x.Status == y.Status && agree(x.Body, y.Body, x.BodyCut || y.BodyCut) && agree(x.Answer, y.Answer, x.AnswerCut || y.AnswerCut)
}

const bookingsPath = "/bookings/"

// baseOf returns the address that a path of the contract is below, the same for all ways to write it.
func baseOf(u *url.URL, below string) string {
	base := strings.TrimRight(u.EscapedPath(), "/")
	if end := strings.LastIndex(base, below); end >= 0 {
		base = strings.TrimRight(base[:end], "/")
	}
	host, scheme := strings.ToLower(u.Host), strings.ToLower(u.Scheme)
	if host == "" {
		return base
	}
	return scheme + "://" + strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme]) + base
}

// Counts counts the entries of a recording.
type Counts struct {
	Judged     int            // calls of the contract
	bases      map[string]int // calls to each base address
	repeated   int            // equal calls beyond the first
	late       int            // contract calls that were too far out of order
	unreadable int
	reason     string // why the first of these cannot be read
	requests   int    // calls whose request body is unknown
	answers    int    // calls whose answer is unknown or incomplete
}

// Unread lists what was left out, and what is unknown.
func (c *Counts) Unread() (all []string) {
	for _, of := range []struct {
		n    int
		what string
	}{
		{c.repeated, "Recorded more than once"},
		{c.late, "Too far out of order"},
		{c.requests, "The request body is unknown"},
		{c.answers, "The response body is unknown or incomplete"},
	} {
		if of.n > 0 {
			all = append(all, of.what+": "+plural.Count(of.n, "call"))
		}
	}
	if c.unreadable > 0 {
		all = append(all, fmt.Sprintf("Unreadable: %s (%s)", plural.Count(c.unreadable, "entry", "entries"), c.reason))
	}
	return all
}

// Explain adds to an error what could not be read.
func (c *Counts) Explain(err error) error {
	if unread := c.Unread(); len(unread) > 0 {
		return fmt.Errorf("%w. %s", err, strings.Join(unread, "; "))
	}
	return err
}

// countUnknown counts a call, and what is unknown of it.
func (c *Counts) countUnknown(x *Exchange) {
	switch {
	case x.Unreadable != "":
		c.unreadable++
		c.reason = cmp.Or(c.reason, x.Unreadable)
	case x.Missed:
		c.late++
	case x.BodyCut:
		c.requests++
	case x.AnswerCut:
		c.answers++
	}
	if !x.Missed {
		c.Judged++
	}
}

// mostBases is the number of base addresses that are told apart, and mostShown that of those which are named.
const mostBases, mostShown = 1000, 10

// count counts a call to a base address.
func (c *Counts) count(base string) {
	if c.bases == nil {
		c.bases = map[string]int{}
	}
	if _, known := c.bases[base]; known || len(c.bases) < mostBases {
		c.bases[base]++
	}
}

// choose returns an error if the calls to be judged have several addresses, or none.
func (c *Counts) choose(only string) error {
	if _, has := c.bases[only]; len(c.bases) == 0 || has || only == "" && len(c.bases) == 1 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(c.bases), func(a, b string) int { return cmp.Or(c.bases[b]-c.bases[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%s)", name, plural.Count(c.bases[name], "call"))
	}
	if more := len(names) - mostShown; more > 0 {
		names = append(names[:mostShown], fmt.Sprintf("%d more", more))
	}
	if only == "" {
		return fmt.Errorf("the recording has calls to several base addresses, each with a history of its own: choose one with --only: %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("--only %s: the recording has no calls to this base address, but to %s", only, strings.Join(names, ", "))
}

// parseBase returns a partner's base address in the form of Exchange.Base.
func parseBase(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("--only: expected the partner's base URL, such as https://partner.example/api, received %q", address)
	}
	return baseOf(u, partnerapi.ProductsPath), nil
}

// file reads one file's entries in order.
func file(name string) iter.Seq2[*har.Exchange, error] {
	return func(yield func(*har.Exchange, error) bool) {
		opened, err := os.Open(name)
		if err != nil {
			if inPath, is := errors.AsType[*fs.PathError](err); is {
				err = inPath.Err
			}
			yield(nil, fmt.Errorf("read %s: %w", name, err))
			return
		}
		defer opened.Close()
		for e, err := range har.Read(opened) {
			if err != nil {
				err = fmt.Errorf("read %s: %w", name, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
