// Package bombtest gives tests recordings that are small outside and large inside.
package bombtest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Recording is a file with recorded calls, of about 1 MiB at most.
type Recording struct {
	Name string
	Text []byte
}

// body is a body that is large inside: a block of 1 MiB is repeated between a beginning and an end.
type body struct{ begin, part, end string }

func bodies() map[string]body {
	var names strings.Builder
	for i := 0; names.Len() < 1<<20; i++ {
		fmt.Fprintf(&names, `,"%d":0`, i)
	}
	return map[string]body{
		"zeros":         {"", "\x00", ""},
		"spaces":        {"", " ", "[]"},
		"nested arrays": {"", "[", ""},
		"nested names":  {"", `{"a":`, ""},
		"objects":       {"[", "{},", "{}]"},
		"arrays":        {`{"products":[`, "[],", "[]]}"},
		"numbers":       {"[", "0,", "0]"},
		"a text":        {`{"externalBookingId":"`, "x", `","status":"CONFIRMED"}`},
		"escapes":       {`[{"id":"`, `\u0001`, `"}]`},
		"names":         {`{"a":0`, names.String(), "}"},
	}
}

// Gzip returns a body that expands to that many MiB, compressed.
func (b body) gzip(t testing.TB, size int) []byte {
	return pack(t, "", b, size, "")
}

// inJSON returns the body as it stands within a text of JSON.
func (b body) inJSON() body {
	quoted := strings.NewReplacer("\x00", `\u0000`, `\`, `\\`, `"`, `\"`)
	return body{quoted.Replace(b.begin), quoted.Replace(b.part), quoted.Replace(b.end)}
}

// Body returns a body of nothing but empty objects that expands to that many MiB, compressed with gzip.
func Body(t testing.TB, size int) []byte {
	t.Helper()
	return bodies()["objects"].gzip(t, size)
}

const (
	lawful = `{"startedDateTime":"2026-07-01T12:00:00Z","time":1,"request":{"method":"GET","url":"https://a.example/products?limit=1","headers":[]},"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"text":"[]"}}}` + "\n"
	// before and after stand around what differs.
	before = `{"startedDateTime":"2026-07-01T12:00:01Z","time":1,"request":{"method":"POST","url":"https://a.example`
	after  = `,"response":{"status":200,"headers":[{"name":"Content-Type","value":"application/json"}`
	json   = `","headers":[{"name":"Content-Type","value":"application/json"}],"postData":`
)

// Recordings returns 50 hostile recordings, or 10 of them unless SOAK is set: each body, and each form twice. Each begins and
// ends with a lawful call.
func Recordings(t testing.TB) (all []Recording) {
	t.Helper()
	all = []Recording{}
	found := bodies()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		b := found[name]
		inBase64 := func(size int) string {
			return fmt.Sprintf(`{"encoding":"base64","text":%q}`, base64.StdEncoding.EncodeToString(b.gzip(t, size)))
		}
		declared := before + `/bookings/confirm` + json + `{"text":"{\"reservationConfirmationCode\":\"R1\"}"}}` + after + `,{"name":"Content-Encoding","value":"gzip"}],"content":` + inBase64(1) + "}}\n"
		field := b
		if begin := b.begin + b.part; begin[0] != '[' && begin[0] != '{' {
			field = bodies()["arrays"]
		}
		add := func(form string, text []byte) { all = append(all, Recording{name + ", " + form, text}) }
		add("compressed without saying so", []byte(lawful+strings.Replace(before, "POST", "GET", 1)+`/products","headers":[]}`+after+`],"content":`+inBase64(63)+"}}\n"+lawful))
		var many strings.Builder
		for i := range max(1, min(20, (1<<20)/len(declared))) {
			many.WriteString(strings.Replace(declared, "12:00:01Z", fmt.Sprintf("12:00:01.%03dZ", i), 1))
		}
		add("compressed in many answers", []byte(lawful+many.String()+lawful))
		add("compressed in a request", []byte(lawful+before+`/bookings/reserve`+json+inBase64(63)+`}`+after+`],"content":{"text":"{}"}}}`+"\n"+lawful))
		add("in a compressed file", pack(t, lawful+before+`/availability`+json+`{"text":"{}"}}`+after+`],"content":{"text":"`, b.inJSON(), 13, `"}}}`+"\n"+lawful))
		add("in another field", pack(t, lawful+`{"_fromCache":`, field, 63, strings.TrimPrefix(before, "{")+`/bookings/reserve`+json+`{"text":"{}"}}`+after+`],"content":{"text":"{}"}}}`+"\n"))
	}
	if os.Getenv("SOAK") != "" {
		return all
	}
	const forms = 5
	var some []Recording
	for i, recording := range all {
		if i%forms == i/forms%forms {
			some = append(some, recording)
		}
	}
	return some
}

// EachFile runs a subtest for each recording, with the file that has it.
func EachFile(t *testing.T, f func(t *testing.T, file string)) {
	t.Helper()
	for _, recording := range Recordings(t) {
		t.Run(recording.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "recording")
			if err := os.WriteFile(file, recording.Text, 0o600); err != nil {
				t.Fatal(err)
			}
			f(t, file)
		})
	}
}

// pack compresses a text with a body of that many MiB within it. Parts of gzip may follow each other, so the
// block is compressed once.
func pack(t testing.TB, begin string, b body, size int, end string) []byte {
	t.Helper()
	member := func(text string) []byte {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return packed.Bytes()
	}
	block := member(strings.Repeat(b.part, max(1, (1<<20)/len(b.part))))
	size = max(1, min(size, (1<<20)/len(block)))
	return slices.Concat(member(begin+b.begin), bytes.Repeat(block, size), member(b.end+end))
}
