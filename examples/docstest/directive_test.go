//go:build unix

package docstest

import (
	"fmt"
	"maps"
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Directives control how a block is tested.
type Directives struct {
	FollowedBy string   // the test that covers the document
	Needs      []string // services that run from this block on
	CheckOnly  bool
	FromHere   bool   // CheckOnly also applies to the following blocks
	KeepsAt    string // the address at which the started program listens
	Exports    string // the variable that the started program prints as export
	Exits      int
	File       string // the file whose text is the block
	Output     bool   // the block is the output of the blocks before it
	Imports    []string
	Given      string // declarations for a block of Go, separated by semicolons
}

// A service is a program that a document needs but does not start.
type service struct {
	command string // runs until it is stopped
	address string // where it listens
}

// services are the services that a document may need.
var services = map[string]service{
	"mock": {"exec mockpartner serve --addr 127.0.0.1:8081 --auth-key secret --seed 7", "127.0.0.1:8081"},
	"marketplace": {`export MARKETPLACE_OPERATOR_EMAIL=ana@example.com MARKETPLACE_OPERATOR_PASSWORD='correct horse battery'
exec marketplace serve --addr 127.0.0.1:8080 --allow-private-partners`, "127.0.0.1:8080"},
}

var comment = regexp.MustCompile(`<!--\s*docs-test:\s*(.*?)\s*-->`)

// read adds the directives in the comments of an HTML fragment.
func (d *Directives) read(html string) error {
	for _, found := range comment.FindAllStringSubmatch(html, -1) {
		if err := d.add(found[1]); err != nil {
			return fmt.Errorf("docs-test: %w, received %q", err, found[1])
		}
	}
	return nil
}

func (d *Directives) add(text string) (err error) {
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "needs":
		for service := range strings.SplitSeq(rest, ",") {
			service = strings.TrimSpace(service)
			if services[service].command == "" {
				return fmt.Errorf("expected needs and one or more of %v with commas between them", slices.Sorted(maps.Keys(services)))
			}
			d.Needs = append(d.Needs, service)
		}
	case "check":
		if reason, found := strings.CutPrefix(rest, "only: "); !found || reason == "" {
			return fmt.Errorf("expected check only: and the reason")
		}
		d.CheckOnly = true
	case "from":
		if reason, found := strings.CutPrefix(rest, "here check only: "); !found || reason == "" {
			return fmt.Errorf("expected from here check only: and the reason")
		}
		d.FromHere = true
	case "keeps":
		if d.Exports, _ = strings.CutPrefix(rest, "running and exports "); d.Exports != rest {
			return nil
		}
		d.Exports = ""
		address, found := strings.CutPrefix(rest, "running at ")
		if _, _, err := net.SplitHostPort(address); !found || err != nil {
			return fmt.Errorf("expected keeps running at host:port, or keeps running and exports NAME")
		}
		d.KeepsAt = address
	case "exits":
		if d.Exits, err = strconv.Atoi(rest); err != nil || d.Exits < 1 || d.Exits > 255 {
			return fmt.Errorf("expected exits and a code from 1 to 255")
		}
	case "file":
		if rest == "" || path.IsAbs(rest) || strings.HasPrefix(path.Clean(rest), "..") {
			return fmt.Errorf("expected file and its name below the folder")
		}
		d.File = rest
	case "output":
		d.Output = true
	case "imports":
		imports, given, _ := strings.Cut(rest, " given ")
		if d.Imports = strings.Fields(imports); len(d.Imports) == 0 {
			return fmt.Errorf("expected imports, packages, and perhaps given and declarations such as ctx context.Context; key string")
		}
		d.Given = given
	case "followed":
		by, found := strings.CutPrefix(rest, "by ")
		if !found || by == "" {
			return fmt.Errorf("expected followed by and the file of a test")
		}
		d.FollowedBy = by
	default:
		return fmt.Errorf("expected needs, check only, from here check only, keeps running, exits, file, output, imports or followed by")
	}
	return nil
}
