package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
)

// check ends the test on an error.
var check = errtest.Check

const words = `# a list
anew => again
message: want .* got => expected … received …
allow: marketplace/: user anew
skip: generated/
`

// checkText checks one file with the list above.
func checkText(t *testing.T, name, text string) (all []string) {
	t.Helper()
	root := t.TempDir()
	for file, text := range map[string]string{name: text, "words": words} {
		file = filepath.Join(root, filepath.FromSlash(file))
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(text), 0o600))
	}
	findings, err := run(filepath.Join(root, "words"), root)
	check(t, err)
	for _, f := range findings {
		all = append(all, f.String())
	}
	return all
}

func TestAWordOfTheListIsFoundWhereItIsProse(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]struct{ text, want string }{
		"a comment":                    {"package a\n\n// Anew, it begins.\nvar anew int\n", `a.go:3: "Anew": use again`},
		"a line of a long string":      {"package a\n\nvar a = `one\ntwo anew`\n", `a.go:4: "anew": use again`},
		"a message":                    {"package a\n\nvar a = \"want 1, got 2\"\n", `a.go:3: "want 1, got": use expected … received …`},
		"no message: a comment":        {"package a // want 1, got 2\n", ""},
		"no prose: part of a word":     {"package a // renewed\n", ""},
		"no prose: a name of the code": {"package a\n\nfunc anew() {}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(checkText(t, "a.go", file.text), "\n"); got != file.want {
				t.Errorf("want %q, got %q", file.want, got)
			}
		})
	}
	if got := checkText(t, "a.md", "It starts anew, not `anew`.\n```sh\nanew\n```\nanew\n"); !slices.Equal(got, []string{`a.md:1: "anew": use again`, `a.md:5: "anew": use again`}) {
		t.Errorf("want the prose of a document and not its code, got %q", got)
	}
}

func TestTestsQuotationsAndSkippedFilesAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a_test.go":        "package a\n\nvar a = \"want 1, got 2\"\n",
		"marketplace/a.md": "The user anew.\n",
		"generated/a.md":   "anew\n",
		"build/a.md":       "anew\n",
	} {
		if got := checkText(t, name, text); len(got) != 0 {
			t.Errorf("%s: want nothing found, got %q", name, got)
		}
	}
}

func TestAListThatCannotBeReadIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"\nanew": "2: expected PATTERN => BETTER", "( => a": "1: ", "allow: x": "1: expected allow:"} {
		if _, err := parseList(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: want %q, got %v", text, want, err)
		}
	}
}

func TestMessagesAreStringsOfSeveralWordsThatAUserReads(t *testing.T) {
	t.Parallel()
	got := messages("package a\n\n// A comment of words.\nvar (\n\ta = \"the body: expected JSON\"\n\tb = \"two words\"\n\tc = `select a from b where c`\n)\n")
	if want := []passage{{"the body: expected JSON", 5, true}}; !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
}
