package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// sealSample is the report.json of a run that was sealed.
func sealSample(t *testing.T) (sum string, text []byte) {
	t.Helper()
	r, err := Seal(sample())
	if err != nil {
		t.Fatal(err)
	}
	_, text = writeSample(t, r)
	return r.Integrity.SHA256, text
}

func TestAReportIsUnchangedAsTheRunWroteItWhateverItsLayout(t *testing.T) {
	t.Parallel()
	sum, text := sealSample(t)
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(sum) {
		t.Fatalf("want a SHA-256, got %q", sum)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(members) // in another order, too
	if err != nil {
		t.Fatal(err)
	}
	for name, document := range map[string][]byte{"as written": text, "compact": compact} {
		v, err := Verify(inFile(t, document))
		if err != nil || v.WasChanged() || v.SHA256 != sum || v.Result.Verdict != Nonconformant {
			t.Errorf("%s: want %s unchanged, got %+v, %v", name, sum, v, err)
		}
	}
}

func TestAReportWithAnyDifferenceIsReportedAsChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]struct{ old, new string }{
		"the verdict":           {`"nonconformant"`, `"conformant"`},
		"the target":            {`partner.example`, `other.example`},
		"the suite's version":   {`"suite_version": "1.0.0"`, `"suite_version": "1.0.1"`},
		"the outcome of a rule": {`"outcome": "warned"`, `"outcome": "passed"`},
		"evidence":              {`"duration_ns": 1000000000`, `"duration_ns": 1000000001`},
		"a member that came":    {`"verdict":`, `"approved_by": "us", "verdict":`},
		"the sum itself":        {`"sha256": "`, `"sha256": "00`},
	} {
		_, text := sealSample(t)
		changed := strings.Replace(string(text), change.old, change.new, 1)
		if changed == string(text) {
			t.Fatalf("%s: the report has no %s", name, change.old)
		}
		if v, err := Verify(inFile(t, []byte(changed))); err != nil || !v.WasChanged() {
			t.Errorf("%s: want it changed, got %+v, %v", name, v, err)
		}
	}
}

func TestAnInvalidReportIsNotVerified(t *testing.T) {
	t.Parallel()
	_, text := sealSample(t)
	_, open := writeSample(t, sample())
	for name, document := range map[string]string{
		"nothing":                      "",
		"text":                         "a text",
		"other JSON":                   `{"verdict": "conformant"}`,
		"a list":                       `[1]`,
		"half a report":                string(text[:len(text)/2]),
		"a report without a sum":       string(open),
		"a page":                       "<!DOCTYPE html><title>Conformant</title>",
		"two members of the same name": strings.Replace(string(text), `"verdict":`, `"verdict": "conformant", "verdict":`, 1),
		"deep JSON":                    strings.Repeat("[", 100_000),
	} {
		path := inFile(t, []byte(document))
		if v, err := Verify(path); err == nil || err.Error() != path+" is not a report.json of this suite" {
			t.Errorf("%s: want it refused in one line, got %+v, %v", name, v, err)
		}
	}
}
