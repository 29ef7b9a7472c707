package docstest

import (
	"fmt"
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Directives say how a block is to be taken.
type Directives struct {
	Needs     []string // services that run from this block on
	CheckOnly bool
	Stays     bool   // and so are all blocks after it
	KeepsAt   string // the address at which what it starts listens
	Exits     int
	File      string // what the block is the text of
	Output    bool   // the block is what those before it print
}

var comment = regexp.MustCompile(`<!--\s*docs-test:\s*(.*?)\s*-->`)

// directivesBefore are those of the comments right before a block.
func directivesBefore(block ast.Node, source []byte) (d Directives, err error) {
	for n := block.PreviousSibling(); n != nil && n.Kind() == ast.KindHTMLBlock; n = n.PreviousSibling() {
		html := n.(*ast.HTMLBlock)
		said := string(html.Lines().Value(source))
		if html.HasClosure() {
			said += string(html.ClosureLine.Value(source))
		}
		for _, found := range comment.FindAllStringSubmatch(said, -1) {
			if err := d.add(found[1]); err != nil {
				return d, fmt.Errorf("docs-test: %w, got %q", err, found[1])
			}
		}
	}
	return d, nil
}

func (d *Directives) add(said string) (err error) {
	verb, rest, _ := strings.Cut(said, " ")
	switch verb {
	case "needs":
		for service := range strings.SplitSeq(rest, ",") {
			service = strings.TrimSpace(service)
			if !slices.Contains(serviceNames, service) {
				return fmt.Errorf("want needs and one or more of %v with commas between them", serviceNames)
			}
			d.Needs = append(d.Needs, service)
		}
	case "check":
		if reason, found := strings.CutPrefix(rest, "only: "); !found || reason == "" {
			return fmt.Errorf("want check only: and the reason")
		}
		d.CheckOnly = true
	case "from":
		reason, found := strings.CutPrefix(rest, "here check only: ")
		if !found || reason == "" {
			return fmt.Errorf("want from here check only: and the reason")
		}
		d.CheckOnly, d.Stays = true, true
	case "keeps":
		address, found := strings.CutPrefix(rest, "running at ")
		if _, _, err := net.SplitHostPort(address); !found || err != nil {
			return fmt.Errorf("want keeps running at host:port")
		}
		d.KeepsAt = address
	case "exits":
		if d.Exits, err = strconv.Atoi(rest); err != nil || d.Exits < 1 || d.Exits > 255 {
			return fmt.Errorf("want exits and a code from 1 to 255")
		}
	case "file":
		if rest == "" || path.IsAbs(rest) || strings.HasPrefix(path.Clean(rest), "..") {
			return fmt.Errorf("want file and its name below the folder")
		}
		d.File = rest
	case "output":
		d.Output = true
	default:
		return fmt.Errorf("want needs, check only, from here check only, keeps running at, exits, file or output")
	}
	return nil
}
