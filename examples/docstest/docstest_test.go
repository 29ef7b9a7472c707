//go:build unix

package docstest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newTree returns a tree with one document, a Makefile and a folder of Go.
func newTree(t *testing.T, markdown string) (root string, documents []*Document) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{"README.md": markdown, "docs/other.md": "# A heading, of `two` *parts*\n## Again\n## Again\n", "Makefile": "demo: build\n", "cmd/it/main.go": "", "cmd/it/it_test.go": "func TestRoundTrip() { aWord, _ := flag.String(\"addr\", IT_ADDR) + \"report.json\" }\n", ".gitignore": "/build/\n"} {
		name = filepath.Join(root, name)
		check(t, os.MkdirAll(filepath.Dir(name), 0o755))
		check(t, os.WriteFile(name, []byte(text), 0o600))
	}
	documents, err := Documents(root)
	check(t, err)
	return root, documents
}

// requireProblems fails the test unless the problems have the wanted endings.
func requireProblems(t *testing.T, problems []string, want ...string) {
	t.Helper()
	if !slices.EqualFunc(problems, want, strings.HasSuffix) {
		t.Errorf("want\n\t%s\ngot\n\t%s", strings.Join(want, "\n\t"), strings.Join(problems, "\n\t"))
	}
}

func TestABrokenLinkIsReported(t *testing.T) {
	t.Parallel()
	root, documents := newTree(t, `[a](docs/other.md#a-heading-of-two-parts) [b](docs/other.md#again-1) [c](docs) [d](https://example.com/x#y)
[e](docs/none.md) [f](docs/other.md#again-2) [g](#top) ![h](docs#x)
[i][i] [j](/docs/other.md)

[i]: docs/gone.md
`)
	requireProblems(t, Links(root, documents), "README.md:2: docs/none.md: no such file", "README.md:2: docs/other.md#again-2: no such heading in docs/other.md",
		"README.md:2: #top: no such heading in README.md", "docs#x: expected a document where a link has an anchor", "README.md:3: docs/gone.md: no such file", "expected a link that is relative to its document")
}

func TestANameOfNothingIsReported(t *testing.T) {
	t.Parallel()
	root, documents := newTree(t, "`make demo` `cmd/it/main.go` `main.go` `cmd/` `build/x` `report.json` `-addr` `go test ./cmd/it -run 'Trip|Round'` `TestRoundTrip` `aWord` `IT_ADDR` `curl -x` `docs/*.md` `/url` `…/x`\n\n"+
		"`make dema` `cmd/it/mein.go` `mein.go` `other/` `raport.json` `-adr` `go test ./cmd/its -run 'Trip|Square'` `TestSquare` `aWard` `IT_ADR` `cerl -x` `partnerkit.dev/it`\n\n"+
		"<!-- docs-test: check only: it waits -->\n```sh\nmake demo | make demi # or not\n\nIT_ADR=a make \\\n  demu\n```\n")
	tree, err := ReadTree(root)
	check(t, err)
	requireProblems(t, tree.Lies(documents), "make has no target dema", "README.md:3: `cmd/it/mein.go`: no such file, folder or package", "no such file, folder or package", "`other/`: no such file, folder or package", "`raport.json`: no such file, folder or package",
		"no such flag as -adr", "no such package as ./cmd/its", "no test has a name like Square", "no such test", "aWard is in no file but documents", "IT_ADR is in no file but documents", "no such command as cerl", "no such file, folder or package",
		"README.md:7: `IT_ADR=a make    demu`: IT_ADR is in no file but documents", "make has no target demu")
}

func TestABlockOfGoThatDoesNotCompileIsReportedWithItsLine(t *testing.T) {
	t.Parallel()
	_, documents := newTree(t, "<!-- docs-test: imports partnerkit.dev/schemas given body []byte -->\n```go\nproblems := schemas.Validate(…, body)\nfor _, p := range problems {\n\t…\n}\nnowhere()\n```\n\n```go\nfunc f() int { return time.Now() }\n```\n")
	requireProblems(t, compileProblems(t, root, documents), "README.md:11: cannot use time.Now() (value of struct type time.Time) as int value in return statement", "README.md:7: undefined: nowhere")
}

func TestAnUnknownCommentIsReported(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]string{
		"runs": "expected needs", "needs beer": "expected needs and one or more", "check only": "and the reason", "keeps running": "host:port", "exits 0": "a code", "file ../x": "below the folder", "from here": "and the reason",
	} {
		_, err := Read("a.md", []byte("<!-- docs-test: "+comment+" -->\n```sh\ntrue\n```\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "a.md:1: docs-test: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q at its place, got %v", comment, want, err)
		}
	}
	if _, err := Read("a.md", []byte("Text.\n\n<!-- docs-test: exits 1 -->\n")); err == nil || !strings.Contains(err.Error(), "expected a block after") {
		t.Errorf("Expected a comment without a block to be reported, received %v", err)
	}
	d, err := Read("a.md", []byte("<!-- docs-test: needs marketplace, mock -->\n<!-- docs-test: exits 22 -->\n```sh\ntrue\n```\n"))
	if err != nil || len(d.Blocks) != 1 || d.Blocks[0].Exits != 22 || len(d.Blocks[0].Needs) != 2 {
		t.Errorf("want both comments heard, got %+v, %v", d, err)
	}
	d, err = Read("a.md", []byte("```sh\ntrue\n```\n<!-- docs-test: from here check only: it ends -->\n```sh\nfalse\n```\ntext\n```sh\nfalse\n```\n"))
	if err != nil || len(d.Blocks) != 3 || d.Blocks[0].CheckOnly || !d.Blocks[1].CheckOnly || !d.Blocks[2].CheckOnly {
		t.Errorf("want all blocks after the comment only checked, got %+v, %v", d, err)
	}
}

func TestOutputIsComparedPieceByPiece(t *testing.T) {
	t.Parallel()
	for expected, want := range map[string]bool{
		`{"a": 1, "b": [2, 3]}`: true, `{"a": 1, …, 3]`: true, "…\"b\":\n [2": true, `{"a": 2`: false, `"b" … "a"`: false,
	} {
		if got := shows("{\n  \"a\": 1,\n  \"b\": [2, 3]\n}\n", expected); got != want {
			t.Errorf("%s: want %t, got %t", expected, want, got)
		}
	}
}
