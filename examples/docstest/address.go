package docstest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"mvdan.cc/sh/v3/syntax"

	"partnerkit.dev/schemas"
)

// Routes are the calls that the OpenAPI documents describe: methods by path, such as
// /bookings/{reservationCode}.
type Routes map[string][]string

// NewRoutes reads them.
func NewRoutes() (Routes, error) {
	files, err := fs.Glob(schemas.Files(), "openapi/*.yaml")
	if err != nil {
		return nil, err
	}
	routes := Routes{}
	for _, file := range files {
		text, err := fs.ReadFile(schemas.Files(), file)
		if err != nil {
			return nil, err
		}
		var document struct {
			Paths map[string]map[string]any `yaml:"paths"`
		}
		if err := yaml.Unmarshal(text, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for path, operations := range document.Paths {
			for method := range operations {
				routes[path] = append(routes[path], strings.ToUpper(method))
			}
		}
	}
	return routes, nil
}

// Check returns a problem for each call of curl in a document that no OpenAPI document
// describes, whether the document is followed or not.
func (r Routes) Check(documents []*Document) (problems []string) {
	for _, d := range documents {
		s := script{values: map[string]string{}, curls: map[string][]string{"curl": nil}}
		check := func(text string, line int) {
			file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
			if err != nil {
				return // Commands tells it
			}
			for _, c := range s.calls(file) {
				if err := r.check(c.words); err != nil {
					problems = append(problems, fmt.Sprintf("%s: %v", d.Place(line+c.line-1), err))
				}
			}
		}
		for _, block := range d.Blocks {
			if block.Language == "sh" {
				check(block.Text, block.Line)
			}
		}
		for _, code := range d.Code {
			if strings.HasPrefix(code.Text, "curl ") {
				check(code.Text, code.Line)
			}
		}
	}
	return problems
}

// unknown stands for what is not known before a script runs.
const unknown = "\x00"

// A script is what is known of a document's commands so far.
type script struct {
	values map[string]string   // of variables
	curls  map[string][]string // the functions that call curl, with what they give it; curl itself
}

// calls are those of curl, each with the words that curl gets.
func (s script) calls(file *syntax.File) (all []call) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			syntax.Walk(n.Body, func(inner syntax.Node) bool {
				if c, ok := inner.(*syntax.CallExpr); ok && len(c.Args) > 1 && c.Args[0].Lit() == "curl" {
					s.curls[n.Name.Value] = s.words(c.Args[1 : len(c.Args)-1])
				}
				return true
			})
			return false
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil {
				s.values[n.Name.Value] = s.text(n.Value.Parts)
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			if given, curl := s.curls[n.Args[0].Lit()]; curl {
				all = append(all, call{append(slices.Clone(given), s.words(n.Args[1:])...), int(n.Pos().Line())})
			}
		}
		return true
	})
	return all
}

func (s script) words(args []*syntax.Word) (words []string) {
	for _, arg := range args {
		words = append(words, s.text(arg.Parts))
	}
	return words
}

func (s script) text(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			b.WriteString(s.text(part.Parts))
		case *syntax.ParamExp:
			if value, known := s.values[part.Param.Value]; known && part.Short {
				b.WriteString(value)
			} else {
				b.WriteString(unknown)
			}
		default:
			b.WriteString(unknown)
		}
	}
	return b.String()
}

// valued are curl's flags with a value that documents use.
var valued = []string{"-H", "-d", "-X", "-o", "-T", "-K", "-D", "-w", "--data", "--data-binary", "--max-time", "--json"}

// check wants what curl is told to call to be described.
func (r Routes) check(words []string) error {
	method, given, address := http.MethodGet, "", ""
	for i := 0; i < len(words); i++ {
		word, value := words[i], ""
		if slices.Contains(valued, word) {
			if i++; i < len(words) {
				value = words[i]
			}
		}
		switch {
		case word == "-X":
			given = value
		case word == "-T":
			method = http.MethodPut
		case word == "-d", strings.HasPrefix(word, "--data"), word == "--json":
			method = http.MethodPost
		case word == "-I":
			method = http.MethodHead
		case !strings.HasPrefix(word, "-") && value == "" && address == "":
			address = word
		}
	}
	if given != "" {
		method = given
	}
	path, whole, err := pathOf(address)
	if err != nil || path == "" {
		return err
	}
	return r.has(method, path, whole)
}

// pathOf is the path of an address, and whether it is the whole of it: "" where it is
// all unknown, or leads to somebody else.
func pathOf(address string) (path string, whole bool, err error) {
	address = strings.ReplaceAll(address, "…", unknown)
	address, _, _ = strings.Cut(address, "?")
	if before, rest, found := strings.Cut(address, unknown); found && before == "" {
		return rest, false, nil // the variable holds the host, and perhaps the first part of the path
	}
	parsed, err := url.Parse(strings.ReplaceAll(address, unknown, "unknown"))
	if err != nil || parsed.Host == "" {
		return "", false, fmt.Errorf("curl %q: want an address with a host", address)
	}
	switch host := parsed.Hostname(); {
	case host == "127.0.0.1" || host == "localhost":
		return parsed.Path, true, nil
	case strings.HasSuffix(host, ".example") || strings.HasSuffix(host, ".example.com"):
		return parsed.Path, false, nil // its base URL may have a path
	}
	return "", false, nil
}

// has wants a route of that path, or, where that is not the whole of it, one that ends so.
func (r Routes) has(method, path string, whole bool) error {
	if sandbox, rest, found := strings.Cut(strings.TrimPrefix(path, "/s/"), "/"); found && strings.HasPrefix(path, "/s/") && sandbox != "" {
		path = "/" + rest
	}
	var methods []string
	for described, known := range r {
		if fits(strings.Split(described[1:], "/"), strings.Split(strings.TrimPrefix(path, "/"), "/"), whole) {
			methods = append(methods, known...)
		}
	}
	switch {
	case slices.Contains(methods, method), method == http.MethodHead && slices.Contains(methods, http.MethodGet):
		return nil
	case methods == nil:
		return errors.New("curl " + method + " " + path + ": no OpenAPI document describes such a path")
	}
	slices.Sort(methods)
	return fmt.Errorf("curl %s %s: the OpenAPI documents have %s there", method, path, strings.Join(slices.Compact(methods), ", "))
}

// fits compares names from the end, as many as both have; of a whole path all.
func fits(described, parts []string, whole bool) bool {
	n := min(len(described), len(parts))
	if whole && len(described) != len(parts) {
		return false
	}
	same := 0
	for i, want := range described[len(described)-n:] {
		switch part := parts[len(parts)-n+i]; {
		case part == want:
			same++
		case part == "" || !strings.HasPrefix(want, "{") && !strings.Contains(part, unknown):
			return false
		}
	}
	return whole || same > 0
}
