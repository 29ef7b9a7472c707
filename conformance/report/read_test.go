package report

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	written := complete(sampleResult(t))
	text, err := JSON(written)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read.Rules[0], written.Rules[0]) || read.Verdict != written.Verdict || len(read.Rules) != len(written.Rules) {
		t.Errorf("want the result that was written, got %+v", read)
	}
}

func TestWhatIsNoReportIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, wrong := range []struct{ name, text, want string }{
		{"nothing", "", "no JSON at byte 0"},
		{"words", "not a report", "no JSON at byte 2"},
		{"half", `{"verdict": "conf`, "no JSON at byte"},
		{"a list", `[]`, "a JSON array cannot stand at its top"},
		{"a wrong type", `{"verdict": 7}`, "a JSON number cannot stand at verdict"},
		{"another object", `{"name": "x"}`, "it has no verdict, or no rules"},
		{"no rules", `{"verdict": "conformant", "rules": []}`, "it has no verdict, or no rules"},
	} {
		t.Run(wrong.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(dir, wrong.name+".json")
			if err := os.WriteFile(path, []byte(wrong.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Read(path)
			if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), wrong.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line that begins with the file and says %q, got %v", wrong.want, err)
			}
		})
	}
	for _, path := range []string{filepath.Join(dir, "missing.json"), dir} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("want %s not to be read, got %v", path, err)
		}
	}
}
