//go:build unix

package docstest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// A Document is one Markdown file of the tree.
type Document struct {
	Path       string // from the root of the tree, with slashes
	Blocks     []Block
	Links      []Link
	Spans      []Span
	Sections   []int    // the lines of its headings of level 2
	Anchors    []string // of its headings, and those that it defines itself
	FollowedBy string   // a test that covers it; "": make docs-test does
}

// A Link is a link on a line.
type Link struct {
	To   string
	Line int
}

// A Block is a fenced block.
type Block struct {
	Language, Text string
	Line           int // of its first line
	Directives
}

// Folder returns the folder in which a document's commands run: the module's folder for its README,
// otherwise the root.
func (d *Document) Folder() string {
	switch folder := path.Dir(d.Path); folder {
	case "conformance", "marketplace", "mockpartner", "octobridge", "schemas":
		return folder
	}
	return "."
}

// Runs reports whether a document has commands to run.
func (d *Document) Runs() bool {
	return slices.ContainsFunc(d.Blocks, func(b Block) bool { return b.Language == "sh" && !b.CheckOnly })
}

// Place formats a line's position as compilers do.
func (d *Document) Place(line int) string { return fmt.Sprintf("%s:%d", d.Path, line) }

// leftOut lists folders without documents of the project.
var leftOut = []string{"build", "testdata", "node_modules"}

// Documents returns all Markdown files below root.
func Documents(root string) (all []*Document, err error) {
	err = filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(leftOut, entry.Name()) || strings.HasSuffix(entry.Name(), "-report")):
			return filepath.SkipDir
		case entry.IsDir() || path.Ext(entry.Name()) != ".md":
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		document, err := Read(filepath.ToSlash(name), source)
		all = append(all, document)
		return err
	})
	return all, err
}

// Read parses a document. The error names mistakes in its comments for this package.
func Read(name string, source []byte) (*Document, error) {
	d := &Document{Path: name}
	directives, checkOnly := Directives{}, false // heard: from the comments since the last block
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			d.Anchors = append(d.Anchors, anchor(plainText(n, source), d.Anchors))
			if n.Level == 2 {
				d.Sections = append(d.Sections, line(n, source))
			}
		case *ast.HTMLBlock:
			html := string(n.Lines().Value(source))
			if n.HasClosure() {
				html += string(n.ClosureLine.Value(source))
			}
			if err := directives.read(html); err != nil {
				return ast.WalkStop, fmt.Errorf("%s: %w", d.Place(line(n, source)), err)
			}
			if directives.FollowedBy != "" {
				d.FollowedBy, directives = directives.FollowedBy, Directives{}
			}
		case *ast.RawHTML:
			if found := setAnchor.FindSubmatch(n.Segments.Value(source)); found != nil {
				d.Anchors = append(d.Anchors, string(found[1]))
			}
		case *ast.Link:
			d.Links = append(d.Links, Link{string(n.Destination), line(n, source)})
		case *ast.Image:
			d.Links = append(d.Links, Link{string(n.Destination), line(n, source)})
		case *ast.CodeSpan:
			d.Spans = append(d.Spans, Span{plainText(n, source), line(n, source)})
		case *ast.FencedCodeBlock:
			b := Block{Language: string(n.Language(source)), Text: string(n.Lines().Value(source)), Line: line(n, source)}
			b.Directives, directives = directives, Directives{}
			checkOnly = checkOnly || b.FromHere
			b.CheckOnly = b.CheckOnly || checkOnly
			d.Blocks = append(d.Blocks, b)
		}
		return ast.WalkContinue, nil
	})
	if err == nil && !reflect.DeepEqual(directives, Directives{}) {
		err = fmt.Errorf("%s: docs-test: expected a block after the last comment, received none", name)
	}
	return d, err
}

var setAnchor = regexp.MustCompile(`<a id="([^"]+)"`)

// plainText returns the text of a node without its markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// line returns the first line of a node, or of the block that contains it.
func line(n ast.Node, source []byte) int {
	at := -1
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			at = t.Segment.Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	for ; at < 0 && n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			at = n.Lines().At(0).Start
		}
	}
	return strings.Count(string(source[:max(at, 0)]), "\n") + 1
}
