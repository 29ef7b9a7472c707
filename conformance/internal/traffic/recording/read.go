// Package recording reads recorded traffic: HTTP archives (HAR 1.2), as browsers, proxies, the mock
// and the suite write them, or archive entries, one per line. Files are read as streams. Several
// files are one history.
package recording

import (
	"fmt"
	"iter"
	"os"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/schemas/partnerapi"
)

// Exchange is one recorded contract call and its answer.
type Exchange struct {
	har.Exchange
	Endpoint partnerapi.Endpoint
	Named    string // the reservation code or booking id in the path
	Segment  string // the same, still escaped
}

// ContractCall returns the contract call in an entry; false for any other call.
func ContractCall(e *har.Exchange) (*Exchange, bool) {
	if e == nil {
		return nil, false
	}
	endpoint, segment, named, ok := partnerapi.CallOf(e.Method, e.URL)
	return &Exchange{Exchange: *e, Endpoint: endpoint, Named: named, Segment: segment}, ok
}

// file reads one file's entries in order.
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
