package sourcetest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"partnerkit.dev/internal/sourcetest"
)

// Go keeps the result of a test that reads such a file by itself, even after the file has changed.
func TestNoTestReadsFilesOfOtherModulesByItself(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	seen := 0
	err := filepath.WalkDir(sourcetest.Path(""), func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"build", "node_modules", "packaging", "sourcetest"}, entry.Name()): // packaging's tests keep no result
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		seen++
		source, err := parser.ParseFile(files, file, nil, 0)
		if err != nil {
			return err
		}
		folder := filepath.Dir(file)
		for _, path := range pathsIn(source) {
			named := filepath.Join(folder, path.name)
			if _, err := os.Stat(named); err == nil && !within(named, moduleOf(folder)) {
				t.Errorf("%s: %s is of another module: read it with package sourcetest", files.Position(path.at), path.name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("Expected the tests of all modules, received %d files", seen)
	}
}

func TestWithoutAWorkspaceTheRootIsTheCurrentFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if root := sourcetest.Root(); root != "." {
		t.Errorf("Expected the current folder without a workspace, received %s", root)
	}
}

// path is what may be the path of a file.
type path struct {
	name string
	at   token.Pos
}

// pathsIn returns the strings that lead upwards, and the parts of such paths that filepath.Join connects.
func pathsIn(source *ast.File) (list []path) {
	ast.Inspect(source, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			var parts []string
			for _, argument := range n.Args {
				if text, ok := stringOf(argument); ok {
					parts = append(parts, text)
				}
			}
			called, _ := n.Fun.(*ast.SelectorExpr)
			if called == nil || len(parts) == 0 || parts[0] != ".." {
				return true
			}
			if of, _ := called.X.(*ast.Ident); of != nil && slices.Contains([]string{"filepath", "os", "fs"}, of.Name) {
				list = append(list, path{filepath.Join(parts...), n.Pos()})
			}
		case *ast.BasicLit:
			if text, ok := stringOf(n); ok && strings.HasPrefix(text, "../") && strings.Trim(text, "./") != "" || text == "../.." {
				list = append(list, path{text, n.Pos()})
			}
		}
		return true
	})
	return list
}

func stringOf(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// moduleOf returns the folder of the module that a folder belongs to.
func moduleOf(folder string) string {
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		folder = filepath.Join(folder, "..")
	}
}

func within(name, folder string) bool {
	below, err := filepath.Rel(folder, name)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}
