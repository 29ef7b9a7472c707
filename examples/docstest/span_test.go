//go:build unix

package docstest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Span is a code span of a document.
type Span struct {
	Text string
	Line int
}

// foreign are the names in code spans that belong to others. Everything else that looks like a
// file, command, flag, setting, test or identifier must exist.
var foreign = strings.Fields(`
	curl journalctl kubectl mitmdump npm patronictl python3 ss systemctl
	-race -run -p -v -vet -timeout -count -parallel -bench -benchmem -benchtime -fuzz -fuzztime -fuzzminimizetime -generate -package -o
	-ginkgo --label-filter --focus --skip --dry-run --junit-report --json-report
	encoding/json net/http application/json octo/pricing
	package/native partnerkit/marketplace sbom/*.cdx.json race-RULE.html ~/.local/share
	isLanguageTag isTimeZone isCurrency
	OTEL_EXPORTER_OTLP_HEADERS OTEL_TRACES_SAMPLER_ARG
`)

// Lies returns a problem for each code span, or command that is not run, that names what does not
// exist. Of the changelog it reads only what is not released.
func (t *Tree) Lies(documents []*Document) (problems []string) {
	for _, d := range documents {
		report := func(line int, text string) {
			for _, lie := range t.lies(text) {
				problems = append(problems, fmt.Sprintf("%s: `%s`: %s", d.Place(line), text, lie))
			}
		}
		for _, span := range d.Spans {
			if d.Path != "CHANGELOG.md" || len(d.Sections) < 2 || span.Line < d.Sections[1] {
				report(span.Line, span.Text)
			}
		}
		for _, block := range d.Blocks {
			if block.Language == "sh" && block.CheckOnly {
				for text := range strings.Lines(strings.ReplaceAll(block.Text, "\\\n", " ")) {
					if text = endOfCommand.Split(text, 2)[0]; ourCommand.MatchString(text) {
						report(block.Line, strings.TrimSpace(text))
					}
				}
			}
		}
	}
	return problems
}

var (
	endOfCommand = regexp.MustCompile(`\s#|[|;&>]`)
	assignment   = regexp.MustCompile(`(?:^| )([A-Z][A-Z0-9_]*)=`)
	ourCommand   = regexp.MustCompile(`^\s*(?:[A-Z][A-Z0-9_]*=(?:\$\([^)]*\)|\S*) )*(?:build/)?(go|make|conformance|mockpartner|marketplace|octobridge) `)
	identifier   = regexp.MustCompile(`^\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$|^([a-z]+[A-Z]\w*)$`)
	fileName     = regexp.MustCompile(`^[A-Za-z_.*~-][\w.*-]*(?:/[\w.*-]*)+$|^[\w*-]+\.(?:go|md|ya?ml|json|html|txt|sh|mk|svg|xml|har|py|ts|sql|toml|log)$`)
	bareName     = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flagName     = regexp.MustCompile(`^--?([a-z0-9][a-z0-9-]*)`)
)

// lies returns what is wrong in a code span or command line.
func (t *Tree) lies(text string) (lies []string) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	first := words[0]
	if command := ourCommand.FindStringSubmatch(text); command != nil || strings.HasPrefix(first, "-") {
		for _, set := range assignment.FindAllStringSubmatch(text, -1) {
			lies = append(lies, t.word(set[1])...)
		}
		return append(lies, t.arguments(append(command, "")[min(len(command), 1)], words)...)
	}
	switch found := identifier.FindStringSubmatch(first); {
	case len(words) > 1:
		if bareName.MatchString(first) && slices.ContainsFunc(words, flagName.MatchString) && !slices.Contains(foreign, first) {
			return []string{"no such command as " + first}
		}
	case testName.MatchString("func " + first + "("):
		if t.Tests[first] == "" {
			return []string{"no such test"}
		}
	case found != nil:
		return t.word(found[1] + found[2])
	default:
		for name := range strings.SplitSeq(first, ",") {
			place, isOurs := strings.CutPrefix(name, "partnerkit.dev/")
			if isOurs && !slices.Contains(t.Paths, place) || !isOurs && fileName.MatchString(name) && !slices.Contains(foreign, name) && !t.hasFile(name) {
				lies = append(lies, "no such file, folder or package")
			}
		}
	}
	return lies
}

// arguments checks the words of a command: flags, subcommands, targets, packages and tests.
func (t *Tree) arguments(command string, words []string) (lies []string) {
	var packages []string
	previous := ""
	for _, word := range words {
		flag := flagName.FindStringSubmatch(word)
		name, isPackage := strings.CutPrefix(strings.Replace(word, "partnerkit.dev/", "./", 1), "./")
		switch {
		case flag != nil && !slices.Contains(foreign, flag[0]) && !t.Quoted[flag[1]]:
			lies = append(lies, "no such flag as "+flag[0])
		case isPackage:
			name, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(name, "..."), "/"), "@")
			if name == "" || t.hasFile(name) {
				packages = append(packages, name)
			} else {
				lies = append(lies, "no such package as "+word)
			}
		case !bareName.MatchString(word) || word == command:
		case command == "make" && !t.Targets[word]:
			lies = append(lies, "make has no target "+word)
		case command != "go" && strings.TrimPrefix(previous, "build/") == command && !t.Targets[word] && !t.Quoted[word]:
			lies = append(lies, command+" has no command "+word)
		}
		previous = word
	}
	for i, word := range words[1:] {
		if words[i] == "-run" || words[i] == "-bench" {
			lies = append(lies, t.selected(word, packages)...)
		}
	}
	return lies
}

// selected checks that each alternative of a pattern selects a test of one of the packages, or of
// any if there are none.
func (t *Tree) selected(pattern string, packages []string) (lies []string) {
	pattern, _, _ = strings.Cut(strings.Trim(pattern, "'"), "/")
	for one := range strings.SplitSeq(pattern, "|") {
		selects, err := regexp.Compile(one)
		isTest := func(name string) bool {
			isHere := func(folder string) bool { return strings.HasSuffix(t.Tests[name], folder) }
			return selects.MatchString(name) && (packages == nil || slices.ContainsFunc(packages, isHere))
		}
		if err != nil || one != "^$" && !slices.ContainsFunc(slices.Collect(maps.Keys(t.Tests)), isTest) {
			lies = append(lies, "no test has a name like "+one)
		}
	}
	return lies
}

// word checks that a name is in a file of the tree, or sets a flag.
func (t *Tree) word(name string) []string {
	if t.Words[name] || slices.Contains(foreign, name) || t.isSetting(name) {
		return nil
	}
	return []string{name + " is in no file but documents"}
}
