//go:build unix

package docstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// runDocument runs a document in its own folder.
func runDocument(t *testing.T, markdown string) (folder string, err error) {
	t.Helper()
	tooltest.Require(t, tooltest.Bash)
	d, err := Read("a.md", []byte(markdown))
	check(t, err)
	folder = t.TempDir()
	return folder, follow(t.Context(), d, folder, t.TempDir(), os.Environ(), freeAddresses{})
}

func TestBlocksShareAShellAndReportTheirOutput(t *testing.T) {
	t.Parallel()
	_, err := runDocument(t, "```sh\ngreeting=hello; mkdir there; cd there\n```\n```sh\nfalse || echo $greeting $(basename $PWD)\n```\n"+
		"<!-- docs-test: output -->\n```text\nhello there\n```\n<!-- docs-test: file there/deep/file -->\n```text\nwritten\n```\n"+
		"<!-- docs-test: exits 3 -->\n```sh\ncat deep/file >&2; exit 3\n```\n<!-- docs-test: output -->\n```text\nwritten\n```\n")
	if err != nil {
		t.Errorf("want it followed, got %v", err)
	}
}

func TestABlockThatFailsIsReportedWithItsLineAndOutput(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"echo be'fo're\nfalse\necho af'te'r\n```\n":                                                                "before\nfailed: false\n",
		"echo be'fo're\nfalse | true\necho af'te'r\n```\n":                                                         "before\nfailed: ",
		"echo be'fo're\necho $nothing\necho af'te'r\n```\n":                                                        "nothing: unbound variable",
		"true\n```\n<!-- docs-test: exits 1 -->\n```sh\ntrue\n```\n":                                               "expected exit code 1, received 0",
		"echo a\n```\n<!-- docs-test: output -->\n```text\nb\n```\n":                                               "expected what the commands before it print\n\tb\na\n",
		"\n```\n<!-- docs-test: keeps running at 127.0.0.1:8080 -->\n```sh\necho the port is taken; exit 4\n```\n": "the port is taken\nended with 4",
	} {
		_, err := runDocument(t, "```sh\n"+markdown)
		if err == nil || !strings.HasPrefix(err.Error(), "a.md:") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "after") {
			t.Errorf("%s: want %q and nothing after it, got %v", markdown, want, err)
		}
	}
}

func TestABackgroundBlockEndsWhenItIsReplacedAndWithTheDocument(t *testing.T) {
	t.Parallel()
	starts := func(name string) string {
		return "<!-- docs-test: keeps running and exports TOKEN -->\n```sh\necho $BASHPID >" + name + "; echo '  export TOKEN=" + name + "'; sleep 600\n```\n"
	}
	folder, err := runDocument(t, starts("first")+starts("second")+"```sh\necho $TOKEN; kill -0 $(cat second); ! kill -0 $(cat first)\n```\n<!-- docs-test: output -->\n```text\nsecond\n```\n")
	if err != nil {
		t.Errorf("want the second in place of the first, got %v", err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "second"))
	if err != nil || exec.Command("kill", "-0", strings.TrimSpace(string(text))).Run() == nil {
		t.Errorf("want the second ended with the document, got %s, %v", text, err)
	}
}
