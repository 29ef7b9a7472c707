package yamlfile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"partnerkit.dev/internal/yamlfile"
)

// secret stands where people write keys by mistake.
const secret = "sEcret"

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAProblemInAFileIsOneLineThatBeginsWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct{ text, place, want string }{
		"a bracket that is left open": {"a: 1\nb: [", ":2:", "']' not found"},
		"a key that stands twice":     {"a: 1\na: 2", ":2:", "already defined"},
		"a tab":                       {"a:\n\tb: 1", ":2:", "tab"},
		"a quote that is left open":   {"a: '" + secret, ":1:", "single-quoted"},
		"a value behind a value":      {"a: " + secret + ": " + secret, ":1:", "not allowed"},
		"an unknown escape":           {`a: "` + secret + `\q"`, ":1:", "escape"},
		"an anchor":                   {"a: &x 1\nb: *x", ":1:", "anchors, aliases and tags are not supported"},
		"a tag":                       {"a: !!binary " + secret, ":1:", "anchors, aliases and tags are not supported"},
		"two documents":               {"a: 1\n---\nb: 2", ":3:", "one YAML document"},
		"deep nesting":                {strings.Repeat("[", 10_000), ":1:", "nested deeper than 20 levels"},
		"deep nesting by dashes":      {strings.Repeat("- ", 10_000), ":1:", "nested deeper than 20 levels"},
		"too many keys":               {"a: 1\n" + numbered(30_000, "k%d: 1\n"), ":", "too many keys in one object"},
		"too many keys of an item":    {"- a: 1\n" + numbered(10_000, "  k%d: 1\n") + "- " + numbered(1, "x: 1\n"), ":", "too many keys in one object"},
		"too many keys of objects":    {numbered(12, "o%d:\n"+numbered(3_000, "  k%d: 1\n")), ":", "too many keys in one object"},
		"too many values":             {"a: [" + strings.Repeat("1,", 510_000) + "1]", ":1:", "expected at most 1000000 names and values"},
		"a huge file":                 {strings.Repeat("# long\n", 200_000), " is ", "larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := write(t, wrong.text)
			_, err := yamlfile.Open(path)
			if err == nil || !strings.HasPrefix(err.Error(), path+wrong.place) || !strings.Contains(err.Error(), wrong.want) ||
				strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), secret) {
				t.Errorf("want one line that begins with %s%s, says %q and shows no value, got %v", path, wrong.place, wrong.want, err)
			}
		})
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing.yaml"), t.TempDir()} {
		if _, err := yamlfile.Open(path); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be read: ") {
			t.Errorf("want %s not to be read, got %v", path, err)
		}
	}
}

// numbered returns a text for each number from 0.
func numbered(count int, format string) string {
	var text strings.Builder
	for i := range count {
		text.WriteString(strings.ReplaceAll(format, "%d", strconv.Itoa(i)))
	}
	return text.String()
}

func TestManyObjectsWithFewKeysAreRead(t *testing.T) {
	t.Parallel()
	if _, err := yamlfile.Open(write(t, numbered(3_000, "- id: p%d\n  a:\n    b: 1\n    c: [{d: 1, e: 2}, {d: 3}]\n  f: x\n"))); err != nil {
		t.Errorf("Expected a long list to be read, received %v", err)
	}
}

func TestAProblemQuotesTheBeginningOfALongKey(t *testing.T) {
	t.Parallel()
	problem, bad := yamlfile.Decode([]byte(strings.Repeat("k", 488<<10)+": 1"), &struct{ A int }{}, "")
	if !bad || len(problem.Message) > 600 || !strings.HasPrefix(problem.Message, `unknown field "kkk`) {
		t.Errorf("Expected a short message, received %d bytes", len(problem.Message))
	}
	if text := (&yamlfile.Problems{List: []yamlfile.Problem{{Path: strings.Repeat("p", 10_000), Message: strings.Repeat("m", 10_000)}}}).Error(); len(text) > 1100 {
		t.Errorf("Expected a short line, received %d bytes", len(text))
	}
}

func TestAnEmptyFileHoldsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# only words\n", "---\n", "null\n"} {
		if file, err := yamlfile.Open(write(t, text)); err != nil || file.Root != nil {
			t.Errorf("%q: want nothing, got %+v, %v", text, file, err)
		}
	}
}

func FuzzEveryFileIsReadOrRefusedInOneLine(f *testing.F) {
	for _, text := range []string{"a: 1", "- rule: x\n  reason: [", "a: |\n  x\n y: 1", "? a\n: b", "\x00\xff", "%YAML 1.2\n---\na: 1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := yamlfile.Open(write(t, text)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("want one line, got %q", err)
		}
	})
}
