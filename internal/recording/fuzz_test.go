package recording_test

import (
	"os"
	"path/filepath"
	"testing"

	"partnerkit.dev/internal/recording"
)

// Whatever a file holds, it is read to its end or refused, and calls come in the order of
// their time.
func FuzzAnyFileIsReadOrRefused(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"log":{"version":"1.2","entries":[]}}`, `{"log":{"entries":[{"request":{"method":"GET","url":"http://a/products"}}`,
		`{"startedDateTime":"2026-07-01T12:00:00Z","time":-1,"request":{"method":"DELETE","url":"https://a/bookings/%2F"},"response":{"status":200,"content":{"text":"H4sI","encoding":"base64"}}}`,
		"\x1f\x8b\x08\x00", "\xef\xbb\xbf{\"log\":{\"entries\":[{}]}}", `{"request":{"method":"POST","url":"/bookings/x/cancel"}}{"request":3}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "recording")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var last *recording.Exchange
		for x, err := range recording.Read(t.Context(), []string{name, name}, "", &recording.Counts{}) {
			if err != nil {
				return
			}
			if x.Missed {
				continue
			}
			if last != nil && x.Started.Before(last.Started) {
				t.Fatalf("a call of %s came after one of %s", x.Started, last.Started)
			}
			last = x
		}
	})
}
