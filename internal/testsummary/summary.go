package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/internal/plural"
)

// event is a line of `go test -json`; `go doc test2json` describes it.
type event struct {
	Action, Package, Test, Output string
}

// summary collects the events of a run.
type summary struct {
	out      io.Writer
	packages map[string]*tested
	tests    int
	failed   []string
	skipped  map[string]int // by reason
}

// tested is a package whose tests run.
type tested struct {
	own    strings.Builder             // what no test printed
	names  []string                    // tests, in order of their first output
	output map[string]*strings.Builder // of tests that have not passed
	failed []string
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, packages: map[string]*tested{}, skipped: map[string]int{}}
}

// read reads events until the run has ended, and prints the result of each package when it has
// ended.
func (s *summary) read(events io.Reader) {
	for lines := bufio.NewReader(events); ; {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) > 0 && json.Unmarshal(line, &e) != nil:
			_, _ = s.out.Write(line) // a message of the go command
		case e.Package == "":
			fmt.Fprint(s.out, e.Output) // of the compiler
		default:
			s.take(e)
		}
		if err != nil {
			return
		}
	}
}

func (s *summary) take(e event) {
	p := s.packages[e.Package]
	if p == nil {
		p = &tested{output: map[string]*strings.Builder{}}
		s.packages[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.print(e.Test, e.Output)
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test == "":
		s.end(e.Package, e.Action == "fail")
	default:
		s.tests++
		if e.Action == "skip" {
			s.skipped[reason(p.output[e.Test].String())]++
		}
		if e.Action == "fail" {
			p.failed = append(p.failed, e.Test)
		} else if !strings.Contains(p.output[e.Test].String(), "DATA RACE") { // perhaps of another test
			delete(p.output, e.Test)
		}
	}
}

// print stores a line of a test, or of the package. Lines about the test's progress are left out.
func (p *tested) print(test, line string) {
	if test == "" {
		p.own.WriteString(line)
		return
	}
	if p.output[test] == nil {
		p.names, p.output[test] = append(p.names, test), &strings.Builder{}
	}
	if !strings.HasPrefix(line, "=== ") {
		p.output[test].WriteString(line)
	}
}

var (
	// result matches the lines that `go test` prints of a package without failures.
	result = regexp.MustCompile(`(?m)^(ok  |\?   |SKIPPED).*\n`)
	// left matches why all tests of a package were skipped.
	left = regexp.MustCompile(`(?m)^SKIPPED: (.*)$`)
	// failure matches the line that names a failed test, which follows its messages.
	failure = regexp.MustCompile(`(?m)^ *--- FAIL: .*\n`)
)

// end prints the result of a package. Of tests that passed or were skipped, nothing is printed.
func (s *summary) end(name string, failed bool) {
	p := s.packages[name]
	delete(s.packages, name)
	if !failed {
		if why := left.FindStringSubmatch(p.own.String()); why != nil {
			s.tests++ // at least one
			s.skipped["all tests of a package: "+why[1]]++
		}
		fmt.Fprint(s.out, strings.Join(result.FindAllString(p.own.String(), -1), ""))
		return
	}
	for _, test := range p.names {
		if p.output[test] == nil {
			continue
		}
		text := p.output[test].String()
		if at := failure.FindStringIndex(text); at != nil {
			text = text[at[0]:at[1]] + text[:at[0]] + text[at[1]:]
		}
		fmt.Fprint(s.out, text)
	}
	fmt.Fprint(s.out, p.own.String())
	before := len(s.failed)
	for _, test := range p.failed {
		if !slices.ContainsFunc(p.failed, func(other string) bool { return strings.HasPrefix(other, test+"/") }) {
			s.failed = append(s.failed, name+" "+test)
		}
	}
	if len(s.failed) == before {
		s.failed = append(s.failed, name)
	}
}

// logged matches the beginning of a message of a test.
var logged = regexp.MustCompile(`(?m)^ *\S+\.go:\d+: (.*)$`)

// reason returns the first line of a skipped test's last message.
func reason(output string) string {
	messages := logged.FindAllStringSubmatch(output, -1)
	if messages == nil {
		return "no reason given"
	}
	return messages[len(messages)-1][1]
}

// installs matches the reasons of package tooltest that name Debian's packages.
var installs = regexp.MustCompile(`needs .*: install ([a-z0-9 -]+)$`)

// close prints the packages that did not end, and the summary.
func (s *summary) close() {
	for _, name := range slices.Sorted(maps.Keys(s.packages)) {
		s.end(name, true)
	}
	if len(s.failed) > 0 {
		fmt.Fprintf(s.out, "\nFAIL: %s\n", plural.Count(len(s.failed), "failure"))
		for _, name := range s.failed {
			fmt.Fprintln(s.out, "  "+name)
		}
	}
	total := 0
	for _, n := range s.skipped {
		total += n
	}
	fmt.Fprintf(s.out, "\n%s ran, %d skipped\n", plural.Count(s.tests-total, "test"), total)
	var packages []string
	reasons := slices.SortedFunc(maps.Keys(s.skipped), func(a, b string) int {
		return cmp.Or(s.skipped[b]-s.skipped[a], strings.Compare(a, b))
	})
	for _, why := range reasons {
		fmt.Fprintf(s.out, "%6d  %s\n", s.skipped[why], why)
		if found := installs.FindStringSubmatch(why); found != nil {
			packages = append(packages, strings.Fields(found[1])...)
		}
	}
	if slices.Sort(packages); len(packages) > 0 {
		fmt.Fprintln(s.out, "To run all of them: sudo apt-get install", strings.Join(slices.Compact(packages), " "))
	}
}
