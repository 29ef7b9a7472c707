package ledger

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// FuzzLedger reads files that may be anything. What is read is whole: each entry
// has a state and a time, and the part that was read reads the same again.
func FuzzLedger(f *testing.F) {
	const head = `{"ledger":1,"run":"0a1b2c","base_url":"http://127.0.0.1","auth_type":"bearer","suite_version":"devel","started_at":"2026-07-01T09:00:00Z"}` + "\n"
	const attempt = `{"entry":1,"at":"2026-07-01T09:00:00Z","state":"attempted","product_id":"p","option_id":"o","availability_id":"a","start":"s","units":[{"id":"unit-adult","quantity":1}],"reference":"r"}` + "\n"
	const held = `{"entry":1,"at":"2026-07-01T09:00:01Z","state":"held","code":"c","expires_at":"2026-07-01T09:20:00Z"}` + "\n"
	for _, seed := range []string{"", head, head + attempt, head + attempt + held, head + attempt + held[:20], head + held, head + attempt + attempt, "junk", head[:9]} {
		f.Add([]byte(seed))
	}
	macs := newChain("key", "http://127.0.0.1", "0a1b2c")
	sealed := slices.Concat(macs.line([]byte(strings.TrimSpace(head))), macs.line([]byte(strings.TrimSpace(attempt))), macs.line([]byte(strings.TrimSpace(held))))
	f.Add(sealed)
	f.Add(bytes.ToUpper(sealed))
	f.Add(append(bytes.Clone(sealed), macBegin+macEnd...))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, _, whole, err := read("ledger.jsonl", bytes.NewReader(text), Proof{AuthKey: "key"})
		if err != nil {
			return
		}
		if whole > int64(len(text)) || whole == 0 || text[whole-1] != '\n' {
			t.Fatalf("want whole lines of %d bytes, got %d", len(text), whole)
		}
		for _, entry := range l.Entries() {
			if entry.State == "" || entry.At.IsZero() || entry.number == 0 {
				t.Errorf("want an entry with its number, state and time, got %+v", entry)
			}
			l.LatestExpiry(entry)
		}
		l.countPending()
		again, _, size, err := read("ledger.jsonl", bytes.NewReader(text[:whole]), Proof{AuthKey: "key"})
		if err != nil || size != whole || len(again.entries) != len(l.entries) {
			t.Errorf("want the same again, got %d bytes and %v", size, err)
		}
	})
}
