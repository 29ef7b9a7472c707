// Package recording reads recorded traffic: HTTP archives (HAR 1.2), as browsers, proxies,
// the mock and the suite itself write them, and the entries of archives one after another,
// a line each. Files are read as streams, and several are one history.
package recording

import (
	"fmt"
	"iter"
	"os"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/schemas/partnerapi"
)

// Exchange is one call of the contract and its answer, as they were recorded.
type Exchange struct {
	har.Exchange
	Endpoint partnerapi.Endpoint
	Named    string // what the path names: a reservation code, or a booking's id
	Segment  string // the same, as it was escaped
}

// exchange returns the call of the contract that an entry is; false for any other call.
func exchange(e *har.Exchange) (*Exchange, bool) {
	if e == nil {
		return nil, false
	}
	endpoint, segment, named, ok := partnerapi.CallOf(e.Method, e.URL)
	return &Exchange{Exchange: *e, Endpoint: endpoint, Named: named, Segment: segment}, ok
}

// file reads one file's entries, in their order.
func file(name string) iter.Seq2[*har.Exchange, error] {
	return func(yield func(*har.Exchange, error) bool) {
		opened, err := os.Open(name)
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", name, fileerror.Reason(err)))
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
