package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
)

// wellKnown are methods whose interfaces, of the standard library and of River, have the comment.
var wellKnown = []string{
	"Error", "Unwrap", "String", "Read", "Write", "ServeHTTP", "Header", "WriteHeader", "MarshalJSON", "UnmarshalJSON", "Kind", "InsertOpts",
}

func TestGoDocShowsACommentForEveryExportedNameAndTheFieldsOfEveryPublicType(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), root+"/")
		text, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, wrong := range undocumented(text) {
			t.Errorf("%s: expected a comment for %s", name, wrong)
		}
		public := !slices.Contains(strings.Split(name, "/"), "internal")
		if all := exportedAliases(text); public && len(all) > 0 {
			t.Errorf("%s: expected types, not aliases, for %s: go doc shows no field of an alias", name, strings.Join(all, ", "))
		}
		return nil
	})
	check(t, err)
}

// undocumented returns the exported names without a comment that go doc shows.
func undocumented(file *ast.File) (names []string) {
	need := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil }) {
			names = append(names, name.Name)
		}
	}
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")) && !slices.Contains(wellKnown, d.Name.Name) {
				need(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					need(s.Name, s.Doc, d.Doc)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						need(name, s.Doc, s.Comment, d.Doc)
					}
				}
			}
		}
	}
	return names
}

func exportedAliases(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, is := n.(*ast.TypeSpec); is && s.Assign.IsValid() && s.Name.IsExported() {
			names = append(names, s.Name.Name)
		}
		return true
	})
	return names
}

// check ends the test on an error.
var check = errtest.Check
