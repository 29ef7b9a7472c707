package api_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// Not parallel: what the process allocates meanwhile is the request's.
func TestABodyOfAStrangerCostsAsMuchAsItIsLong(t *testing.T) {
	const size = 1 << 20
	b := setup(t)
	nested := func(levels int) string {
		return strings.Repeat(`{"`+strings.Repeat("n", size/levels-20)+`":`, levels) + `"\u0000"` + strings.Repeat("}", levels)
	}
	for what, body := range map[string]string{
		"NUL below many names":      nested(9000),
		"NUL below long names":      nested(100),
		"NUL below one long name":   nested(1),
		"NUL below many arrays":     strings.Repeat("[", 9000) + `"\u0000"` + strings.Repeat("]", 9000),
		"NUL behind many texts":     `{"a":[` + strings.Repeat(`"",`, size/4) + `"\u0000"]}`,
		"NUL in a name":             `{"` + strings.Repeat("n", size-100) + `\u0000":1}`,
		"a long text":               `{"email":"` + strings.Repeat("n", size-100) + `","password":"x"}`,
		"a text that is no number":  `{"email":` + strings.Repeat("7", size-100) + `}`,
		"the same field many times": `{` + strings.Repeat(`"email":{},`, size/12) + `"email":1}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, a := b.sent(t, http.MethodPost, "/api/v1/auth/login", body)
		runtime.ReadMemStats(&after)
		if a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: want 400, got %d", what, a.StatusCode)
		}
		if got := (after.TotalAlloc - before.TotalAlloc) / uint64(len(body)); got > 100 {
			t.Errorf("%s: want at most 100 bytes allocated for each that was sent, got %d", what, got)
		}
		if strings.Count(string(a.body), "n") > 200 || len(a.body) > 1000 {
			t.Errorf("%s: want an answer that quotes little, got %d bytes: %.300s", what, len(a.body), a.body)
		}
	}
}
