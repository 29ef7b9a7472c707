package main_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestDiffTellsWhatBrokeAndWhatIsFixed(t *testing.T) {
	t.Parallel()
	_, whole := startMock(t, mockpartner.Options{})
	good := filepath.Join(judge(t, whole, ofMock(whole)...).dir, "report.json")
	bad := filepath.Join(judge(t, startBroken(t), "--handles-ticket-delivery").dir, "report.json")
	diff := func(args ...string) ran {
		return start(t, nil, append([]string{"diff"}, args...)...).wait(t)
	}

	r := diff(good, bad)
	for _, want := range []string{"Broke\n", brokenFirst + ": passed, now failed\n", brokenLast + ": passed, now failed\n", "2 broke, 0 still broken, 0 fixed", "note: the reports are of different partners"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want it to say %q, got\n%s", want, r.stdout)
		}
	}
	if r.code != 1 {
		t.Errorf("want exit 1 where a rule broke, got %d", r.code)
	}
	if r := diff(bad, good); r.code != 0 || !strings.Contains(r.stdout, "0 broke, 0 still broken, 2 fixed") {
		t.Errorf("want exit 0 where rules are fixed, got %d\n%s", r.code, r.stdout)
	}
	if r := diff(bad, bad, "--markdown"); r.code != 0 || !strings.HasPrefix(r.stdout, "## 0 broke, 2 still broken, 0 fixed\n") {
		t.Errorf("want exit 0 where nothing new is broken, got %d\n%s", r.code, r.stdout)
	}
	var compared report.Comparison
	if r := diff(good, bad, "--json"); r.code != 1 || json.NewDecoder(bytes.NewBufferString(r.stdout)).Decode(&compared) != nil || len(compared.Broke) != 2 {
		t.Errorf("want exit 1 and the comparison as JSON, got %d\n%s", r.code, r.stdout)
	}
}
