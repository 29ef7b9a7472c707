package bounded_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"partnerkit.dev/internal/bombtest"
	"partnerkit.dev/internal/bounded"
)

var limits = bounded.Limits{Bytes: 1 << 20, Depth: 50, Values: 1000}

func TestABodyIsDecompressedOnlyIfItsSenderSaysSo(t *testing.T) {
	t.Parallel()
	packed := zip(`{"a":1}`)
	for coding, want := range map[string]string{"": packed, "identity": packed, "gzip": `{"a":1}`, " GZip ": `{"a":1}`, "x-gzip": `{"a":1}`} {
		if got, err := bounded.Body(coding, []byte(packed), limits); err != nil || string(got) != want {
			t.Errorf("%q: expected %q, received %q, %v", coding, want, got, err)
		}
	}
	if _, err := bounded.Body("br", []byte("x"), limits); !errors.Is(err, bounded.ErrCoding) {
		t.Errorf("Expected an unknown coding, received %v", err)
	}
	if _, err := bounded.Body("gzip", []byte("{\"not\":\"compressed\"}"), limits); !errors.Is(err, gzip.ErrHeader) {
		t.Errorf("Expected an error of gzip, received %v", err)
	}
	if got, err := bounded.Body("gzip", nil, limits); err != nil || len(got) != 0 {
		t.Errorf("Expected nothing of nothing, received %q, %v", got, err)
	}
}

func TestWhatExceedsALimitIsRefusedBeforeItIsDecoded(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"many bytes":         `"` + strings.Repeat("x", 1<<20) + `"`,
		"many values":        "[" + strings.Repeat("0,", 1000) + "0]",
		"many names":         "{" + strings.Repeat(`"a":0,`, 500) + `"a":0}`,
		"many empty objects": "[" + strings.Repeat("{},", 500) + "{}]",
		"a deep nesting":     strings.Repeat("[", 51) + strings.Repeat("]", 51),
	} {
		if err := bounded.Decode([]byte(text), new(any), limits); !errors.Is(err, bounded.ErrTooLarge) {
			t.Errorf("%s: expected a refusal, received %v", what, err)
		}
		if _, err := bounded.Body("gzip", []byte(zip(text)), limits); !errors.Is(err, bounded.ErrTooLarge) {
			t.Errorf("%s, compressed: expected a refusal, received %v", what, err)
		}
		if _, err := io.ReadAll(bounded.NewStream(strings.NewReader(text), limits)); !errors.Is(err, bounded.ErrTooLarge) {
			t.Errorf("%s, in a stream: expected a refusal, received %v", what, err)
		}
	}
	for what, text := range map[string]string{
		"brackets within a text":         `"` + strings.Repeat("[{,:", 1000) + `"`,
		"an escape at the end of a text": `["\\", "` + strings.Repeat(`\"[`, 100) + `"]`,
	} {
		if err := bounded.Decode([]byte(text), new(any), limits); err != nil {
			t.Errorf("%s: expected no error, received %v", what, err)
		}
	}
}

func TestEachValueOfAStreamHasTheLimits(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`"`+strings.Repeat("x", 900<<10)+`"`+"\n", 5)
	stream := bounded.NewStream(strings.NewReader(text), limits)
	decoder := json.NewDecoder(stream)
	for range 5 {
		stream.Next()
		if err := decoder.Decode(new(string)); err != nil {
			t.Fatalf("Expected five values, received %v", err)
		}
	}
}

func TestAnExactEncodingHasNoOther(t *testing.T) {
	t.Parallel()
	if got, err := bounded.Base64URL("eyJhIjoxfQ"); err != nil || string(got) != `{"a":1}` {
		t.Errorf("Expected it to be decoded, received %q, %v", got, err)
	}
	for _, text := range []string{"eyJh\nIjoxfQ", "eyJhIjoxfQ\r\n", "eyJhIjoxfR", "eyJhIjoxfQ==", "eyJh IjoxfQ"} {
		if _, err := bounded.Base64URL(text); err == nil {
			t.Errorf("%q: expected a refusal, received none", text)
		}
	}
	if got, err := bounded.Base64("eyJh\r\nIjox\nfQ==", 100); err != nil || string(got) != `{"a":1}` {
		t.Errorf("Expected lines of a recording to be decoded, received %q, %v", got, err)
	}
	if _, err := bounded.Base64(strings.Repeat("A", 1000), 100); !errors.Is(err, bounded.ErrTooLarge) {
		t.Errorf("Expected a refusal, received %v", err)
	}
}

// No test beside it may take memory meanwhile.
func TestABodyThatExpandsTakesTheMemoryOfItsLimit(t *testing.T) {
	packed := bombtest.Body(t, 63)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := bounded.Body("gzip", packed, limits); !errors.Is(err, bounded.ErrTooLarge) {
		t.Fatalf("Expected a refusal, received %v", err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*uint64(limits.Bytes) {
		t.Errorf("Expected some MiB, received %d", took>>20)
	}
}

func zip(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return packed.String()
}

// Whatever a body holds: what is returned is within the limits, and what encoding/json decodes of it has no more
// values and levels than were counted.
func FuzzABodyIsWithinItsLimitsOrRefused(f *testing.F) {
	for _, text := range []string{"", "{}", `{"a":[1,"\"[",{"b":null}]}`, zip(`[[[]]]`), zip(strings.Repeat(" ", 3000)), strings.Repeat("[", 60), "\x1f\x8b", `["\\`} {
		f.Add("gzip", []byte(text))
		f.Add("", []byte(text))
		f.Add("deflate", []byte(text))
	}
	small := bounded.Limits{Bytes: 2000, Depth: 20, Values: 200}
	f.Fuzz(func(t *testing.T, coding string, packed []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		raw, err := bounded.Body(coding, packed, small)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20+uint64(len(packed)) {
			t.Errorf("Expected less than a MiB for %d bytes, received %d", len(packed), took)
		}
		if err != nil {
			return
		}
		if int64(len(raw)) > small.Bytes {
			t.Errorf("Expected at most %d bytes, received %d", small.Bytes, len(raw))
		}
		var value any
		if json.Unmarshal(raw, &value) != nil {
			return
		}
		if n, depth := measure(value); n > small.Values+1 || depth > small.Depth {
			t.Errorf("Expected at most %d values and %d levels, received %d and %d in %q", small.Values, small.Depth, n, depth, raw)
		}
	})
}

// measure counts values and names, and levels.
func measure(value any) (n, depth int) {
	add := func(child any) {
		within, levels := measure(child)
		n, depth = n+within, max(depth, levels)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, child := range value {
			n++
			add(child)
		}
		depth++
	case []any:
		for _, child := range value {
			add(child)
		}
		depth++
	}
	return n + 1, depth
}
