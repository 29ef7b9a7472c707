package examples_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/openapi"
)

var update = flag.Bool("update", false, "write the generated files of the clients")

// The clients are in other languages or from other generators. Each is generated from the service's
// own document, tests itself, and books, pays and cancels at a running service. Two of them are published.
// Without make journeys only the one in Python is, which finds every change of the document, too.
func TestClientsInOtherLanguagesBookPayAndCancel(t *testing.T) {
	t.Parallel()
	market := open(t)
	offer := market.register(t, mocktest.Start(t, mockpartner.Options{Catalog: sold()}), "freesale", false)
	offer.order() // waits for slots
	ctx := t.Context()
	accounts, err := market.operator.Accounts(client.AccountQuery{Role: client.ResellerRole}).Page(ctx, 1, 1)
	if err != nil || len(accounts.Entries) == 0 {
		t.Fatalf("the reseller's account: %v", err)
	}
	token, err := market.operator.CreateAPIToken(ctx, accounts.Entries[0].ID, "clients", "")
	check(t, err)
	build, err := buildtest.Folder() // keeps what mypy knows of the libraries
	check(t, err)
	document := filepath.Join(t.TempDir(), "openapi.yaml")
	text, err := openapi.Bundle(openapi.Marketplace)
	if err == nil {
		err = os.WriteFile(document, text, 0o600)
	}
	check(t, err)
	for _, one := range []struct {
		folder string
		needs  tooltest.Tool
		steps  [][]string     // commands, in the client's folder
		types  string         // the generated file
		vague  *regexp.Regexp // finds a field of it whose type says nothing
		kept   *published     // the file is in the tree, too, and the client is published
	}{
		{"clients/typescript", tooltest.NPM, [][]string{npmCI, {"npm", "run", "-s", "generate"}, {"npm", "run", "-s", "test"}, {"npm", "run", "-s", "book"}, {"npm", "run", "-s", "listen", "--", "--once"}}, "src/schema.ts", vagueTypeScript, npmPackage},
		{"clients/python", tooltest.PythonClient, [][]string{{tooltest.Python, "generate.py", document}, {tooltest.Python, "-m", "mypy"}, {tooltest.Python, "-m", "unittest", "discover", "-s", "tests", "-t", "."}, {tooltest.Python, "-m", "examples.book"}, {tooltest.Python, "-m", "examples.listen", "--once"}}, "partnerkit_marketplace/types.py", vaguePython, wheel},
		{"generators/hey-api", tooltest.NPM, [][]string{{"npm", "install", "--silent", "--no-package-lock"}, {"npm", "run", "-s", "generate"}, {"npm", "run", "-s", "book"}}, "market/types.gen.ts", vagueTypeScript, nil},
		{"generators/oapi-codegen", tooltest.Tool{}, [][]string{{"mkdir", "market"}, {"go", "run", oapiCodegen, "-generate", "types,client", "-package", "market", "-o", "market/market.go", document}, {"go", "mod", "tidy"}, {"go", "run", "."}}, "market/market.go", vagueGo, nil},
	} {
		t.Run(one.folder, func(t *testing.T) {
			t.Parallel()
			if one.kept == nil || one.kept == npmPackage && !*update {
				takesMinutes(t)
			}
			tooltest.Require(t, one.needs)
			folder := t.TempDir()
			check(t, os.CopyFS(folder, source{os.DirFS(one.folder)}))
			var output string
			for _, step := range one.steps {
				output += run(t, folder, []string{"OPENAPI=" + document, "MARKETPLACE=" + market.url, "TOKEN=" + string(token.Token), "GOWORK=off", "GOFLAGS=-mod=mod", "MYPY_CACHE_DIR=" + filepath.Join(build, "mypy")}, step...)
			}
			for _, state := range []string{"HELD", "CONFIRMED", "CANCELLED", "booking.cancelled"} {
				if !strings.Contains(output, state) {
					t.Errorf("expected %s, the example printed:\n%s", state, output)
				}
			}
			generated, err := os.ReadFile(filepath.Join(folder, one.types))
			check(t, err)
			for _, found := range one.vague.FindAllSubmatch(comment.ReplaceAll(generated, nil), -1) {
				if name := string(found[1]); !slices.ContainsFunc(freeForm, func(known string) bool { return strings.EqualFold(known, name) }) {
					t.Errorf("%s does not know the type of %s: %s", one.types, name, found[0])
				}
			}
			if one.kept == nil {
				return
			}
			one.kept.buildPackage(t, folder)
			kept := filepath.Join(one.folder, one.types)
			known, err := os.ReadFile(kept)
			switch {
			case err != nil:
				t.Error(err)
			case string(generated) == string(known):
			case *update:
				if err := os.WriteFile(kept, generated, 0o644); err != nil {
					t.Error(err)
				}
			default:
				t.Errorf("%s is not what the OpenAPI document says today: run make clients", kept)
			}
		})
	}
}

// published is the package that a client is published as. It holds the client with its types, a page
// about it, the licence, and nothing else.
type published struct {
	steps [][]string // make it, in the client's folder
	list  []string   // prints the names of its files
	want  []string   // patterns, one of which each file matches; each matches a file
}

var (
	npmPackage = &published{[][]string{{"npm", "pack", "--silent"}}, []string{"sh", "-c", "tar tzf *.tgz"}, []string{
		"package/package.json", "package/README.md", "package/LICENSE", "package/dist/src/*.js", "package/dist/src/*.d.ts",
	}}
	wheel = &published{[][]string{{tooltest.Python, "-c", "import setuptools.build_meta as b; b.build_sdist('dist'); b.build_wheel('dist')"}}, []string{tooltest.Python, "-m", "zipfile", "-l", "dist/partnerkit_marketplace-1.0.0-py3-none-any.whl"}, []string{
		"partnerkit_marketplace/*.py", "partnerkit_marketplace/py.typed", "partnerkit_marketplace-1.0.0.dist-info/*",
	}}
)

// buildPackage makes the package in a copy of the client's folder, and checks its files.
func (p *published) buildPackage(t *testing.T, folder string) {
	t.Helper()
	for _, step := range p.steps {
		run(t, folder, nil, step...)
	}
	found := map[string]bool{}
	for line := range strings.Lines(run(t, folder, nil, p.list...)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		pattern := slices.IndexFunc(p.want, func(pattern string) bool { matches, _ := filepath.Match(pattern, name); return matches })
		switch {
		case pattern >= 0:
			found[p.want[pattern]] = true
		case name != "" && name != "File": // the heading of zipfile
			t.Errorf("the package contains %s", name)
		}
	}
	for _, pattern := range p.want {
		if !found[pattern] {
			t.Errorf("the package lacks %s", pattern)
		}
	}
	licence, err := os.ReadFile(filepath.Join(folder, "LICENSE"))
	check(t, err)
	if project, err := os.ReadFile(sourcetest.Path("LICENSE")); err != nil || string(licence) != string(project) {
		t.Errorf("expected the project's licence, %v", err)
	}
}

// freeForm lists the fields of which the API describes no contents: texts and details that are the
// partners' and operators' own, and the empty object of an answer without data.
var freeForm = []string{"companyDetails", "translation", "data"}

var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	// openapi-typescript adds [name: string] to all headers; fields have [key: string].
	vagueTypeScript = regexp.MustCompile(`(\w+)\??: (?:\(|Array<|\{\s*\[key: string\]: )*(?:unknown\b|Record<string, never>)`)
	vaguePython     = regexp.MustCompile(`(?m)^ +(\w+): .*\bAny\b`)
	vagueGo         = regexp.MustCompile("(\\w+) +\\S*interface\\{\\} +`json")
)

const oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// npmCI installs what a package-lock.json names.
var npmCI = []string{"npm", "ci", "--silent", "--prefer-offline", "--no-audit", "--no-fund"}

// source is a client's folder without installed and built files.
type source struct{ fs.FS }

func (s source) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(all, func(entry fs.DirEntry) bool {
		return slices.Contains([]string{"node_modules", "dist", "market", "__pycache__", ".venv"}, entry.Name())
	}), err
}

func run(t testing.TB, folder string, settings []string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir, process.Env = folder, append(os.Environ(), settings...)
	output, err := process.CombinedOutput()
	if err != nil {
		if command[0] == "npm" || command[0] == "npx" {
			tooltest.Require(t, tooltest.Registry)
		}
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, output)
	}
	return string(output)
}
