//go:build unix

package docstest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compileProblems returns a problem for each block of Go that does not compile with the variables that its
// comment declares. A declared but unused variable is not an error.
func compileProblems(t *testing.T, root string, documents []*Document) (problems []string) {
	t.Helper()
	scratch := t.TempDir()
	root, err := filepath.Abs(root)
	check(t, err)
	// The overlay makes Go treat the files as a part of the examples. They are not written to the
	// tree.
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	arguments := []string{"build", "-gcflags=-e", "-overlay", filepath.Join(scratch, "overlay.json")}
	for _, d := range documents {
		for _, block := range d.Blocks {
			if block.Language != "go" {
				continue
			}
			name := fmt.Sprintf("block%d", len(overlay.Replace))
			file := filepath.Join(scratch, name+".go")
			check(t, os.WriteFile(file, []byte(block.source(d)), 0o600))
			folder := "examples/docstest/" + name
			overlay.Replace[filepath.Join(root, filepath.FromSlash(folder), "block.go")] = file
			arguments = append(arguments, "./"+folder)
		}
	}
	text, err := json.Marshal(overlay)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(scratch, "overlay.json"), text, 0o600))
	build := exec.CommandContext(t.Context(), "go", arguments...)
	build.Dir = root
	output, err := build.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(output)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !strings.Contains(line, "declared and not used: ") {
			problems = append(problems, line)
		}
	}
	slices.Sort(problems) // the blocks were compiled concurrently
	return problems
}

var (
	importLine = regexp.MustCompile(`(?m)^import "(.+)"$`)
	onlyDots   = regexp.MustCompile(`(?m)^\s*…$`)
)

// standard lists the standard library's packages that blocks use without importing them.
var standard = []string{"context", "errors", "fmt", "net/http", "net/http/httptest", "net/url", "os", "testing", "time"}

// source returns a file with a block of Go in it. Statements become the body of a function.
func (b Block) source(d *Document) string {
	text := onlyDots.ReplaceAllString(b.Text, "")
	text = strings.ReplaceAll(text, "…", `""`)
	imports := append(slices.Clone(standard), b.Imports...)
	for _, found := range importLine.FindAllStringSubmatch(text, -1) {
		imports = append(imports, found[1])
	}
	text = importLine.ReplaceAllString(text, "")
	if !strings.HasPrefix(text, "func ") {
		text = "func _() {\n//line " + d.Place(b.Line) + "\n" + text + "}\n"
	} else {
		text = "//line " + d.Place(b.Line) + "\n" + text
	}
	var file strings.Builder
	file.WriteString("package shown\n")
	slices.Sort(imports)
	for _, name := range slices.Compact(imports) {
		if used := path.Base(name) + "."; strings.Contains(text+b.Given, used) {
			fmt.Fprintf(&file, "import %q\n", name)
		}
	}
	for given := range strings.SplitSeq(b.Given, ";") {
		if given = strings.TrimSpace(given); given != "" {
			fmt.Fprintf(&file, "var %s\n", given)
		}
	}
	return file.String() + text
}
