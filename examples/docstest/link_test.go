//go:build unix

package docstest

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Links returns a problem for each broken link between the documents. It does not follow other
// links.
func Links(root string, documents []*Document) (problems []string) {
	anchors := map[string][]string{}
	for _, d := range documents {
		anchors[d.Path] = d.Anchors
	}
	for _, d := range documents {
		for _, link := range d.Links {
			if problem := checkLink(root, d, link.To, anchors); problem != "" {
				problems = append(problems, fmt.Sprintf("%s: %s: %s", d.Place(link.Line), link.To, problem))
			}
		}
	}
	return problems
}

func checkLink(root string, d *Document, link string, anchors map[string][]string) string {
	target, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if target.Scheme != "" || target.Host != "" {
		return ""
	}
	if path.IsAbs(target.Path) {
		return "expected a link that is relative to its document"
	}
	name := d.Path
	if target.Path != "" {
		name = path.Join(path.Dir(d.Path), target.Path)
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	switch known, isDocument := anchors[name]; {
	case err != nil || strings.HasPrefix(name, "../"):
		return "no such file"
	case target.Fragment == "":
		return ""
	case info.IsDir() || !isDocument:
		return "expected a document where a link has an anchor"
	case !slices.Contains(known, target.Fragment):
		return "no such heading in " + name
	}
	return ""
}

// anchor returns the anchor of a heading, given the headings before it: letters, digits, hyphens
// and underscores in lower case, with hyphens for spaces.
func anchor(heading string, before []string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	name := plain
	for n := 1; slices.Contains(before, name); n++ {
		name = fmt.Sprintf("%s-%d", plain, n)
	}
	return name
}
