package docstest

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Span is a code span of a document.
type Span struct {
	Text string
	Line int
}

// foreign are the names in code spans that belong to others. Everything else that looks like a
// file, command, flag, setting, test or identifier must exist. A name that ends in _ is a prefix.
var foreign = strings.Fields(`
	curl journalctl kubectl mitmdump npm python3 ss systemctl
	-race -run -p -timeout -count -bench -benchtime -fuzz -generate -package -o
	-ginkgo --label-filter --focus --skip --dry-run --junit-report --json-report
	encoding/json net/http application/json
	package/native partnerkit/marketplace sbom/*.cdx.json race-RULE.html ~/.local/share
	isLanguageTag isTimeZone isCurrency
	OTEL_ XDG_
`)

func isForeign(name string) bool {
	return slices.ContainsFunc(foreign, func(known string) bool {
		return name == known || strings.HasSuffix(known, "_") && strings.HasPrefix(name, known)
	})
}

// Lies returns a problem for each code span, or command that is not run, that names what does not
// exist. Of the changelog it reads only what is not released.
func (t *Tree) Lies(documents []*Document) (problems []string) {
	for _, d := range documents {
		report := func(line int, text string, lies []string) {
			for _, lie := range lies {
				problems = append(problems, fmt.Sprintf("%s: `%s`: %s", d.Place(line), text, lie))
			}
		}
		for _, span := range d.Spans {
			if d.Path == "CHANGELOG.md" && len(d.Sections) > 1 && span.Line > d.Sections[1] {
				break
			}
			report(span.Line, span.Text, t.span(path.Dir(d.Path), span.Text))
		}
		for _, block := range d.Blocks {
			if block.Language == "sh" && block.CheckOnly {
				for text := range strings.Lines(continued.Replace(block.Text)) {
					lies, _ := t.commandLine(d.Folder(), endOfCommand.Split(text, 2)[0])
					report(block.Line, strings.TrimSpace(text), lies)
				}
			}
		}
	}
	return problems
}

var (
	continued    = strings.NewReplacer("\\\n", " ")
	endOfCommand = regexp.MustCompile(`\s#|[|;&>]`)
	assignments  = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]*=(?:\$\([^)]*\)|\S*) )+`)
	assignment   = regexp.MustCompile(`(?:^| )([A-Z][A-Z0-9_]*)=`)
	program      = regexp.MustCompile(`^(?:build/)?(conformance|mockpartner|marketplace)$`)
	identifier   = regexp.MustCompile(`^\$?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=.*)?$|^[a-z]+[A-Z]\w*$`)
	fileName     = regexp.MustCompile(`^[A-Za-z_.*~-][\w.*-]*(?:/[\w.*-]*)+$|^[\w*-]+\.(?:go|md|ya?ml|json|html|txt|sh|mk|svg|xml|har|py|ts|sql|toml|log)$`)
)

func (t *Tree) span(folder, text string) (lies []string) {
	lies, isCommand := t.commandLine(folder, text)
	words := strings.Fields(text)
	if isCommand || len(words) == 0 {
		return lies
	}
	first := words[0]
	switch {
	case strings.HasPrefix(first, "-"):
		return t.flags(words, t.isFlag, nil)
	case len(words) > 1:
		if isName(first) && slices.ContainsFunc(words, func(w string) bool { return flagOf(w) != "" }) && !isForeign(first) {
			lies = append(lies, "no such command as "+first)
		}
	case testName.MatchString("func " + first + "("):
		if t.Tests[first] == "" {
			lies = append(lies, "no such test")
		}
	case identifier.MatchString(first):
		name, _, _ := strings.Cut(strings.TrimPrefix(first, "$"), "=")
		lies = append(lies, t.word(name)...)
	default:
		for name := range strings.SplitSeq(first, ",") {
			place, ours := strings.CutPrefix(name, "partnerkit.dev/")
			if ours && !t.Folders[place] || !ours && fileName.MatchString(name) && !isForeign(name) && !t.hasFile(name) {
				lies = append(lies, "no such file, folder or package")
			}
		}
	}
	return lies
}

// commandLine checks a line that calls go, make or one of the programs. Others are no command.
func (t *Tree) commandLine(folder, text string) (lies []string, isCommand bool) {
	for _, set := range assignment.FindAllStringSubmatch(assignments.FindString(text), -1) {
		lies = append(lies, t.word(set[1])...)
	}
	words := strings.Fields(assignments.ReplaceAllString(text, ""))
	switch {
	case len(words) == 0:
		return nil, false
	case program.MatchString(words[0]):
		lies = append(lies, t.program(program.FindStringSubmatch(words[0])[1], words[1:])...)
	case words[0] == "make":
		lies = append(lies, t.make(words[1:])...)
	case words[0] == "go" && len(words) > 1:
		packages, missing := t.packages(folder, words)
		lies = append(append(lies, missing...), t.flags(words, t.isFlag, packages)...)
	default:
		return nil, false
	}
	return lies, true
}

// program checks the subcommands and flags of one of the programs.
func (t *Tree) program(name string, words []string) []string {
	for len(words) > 0 && t.Commands[name+" "+words[0]] != nil {
		name, words = name+" "+words[0], words[1:]
	}
	isParent := func(command string) bool { return strings.HasPrefix(command, name+" ") }
	if len(words) > 0 && isName(words[0]) && slices.ContainsFunc(slices.Collect(maps.Keys(t.Commands)), isParent) {
		return []string{fmt.Sprintf("%s has no command %s", name, words[0])}
	}
	return t.flags(words, func(flag string) bool { return t.Commands[name][flag] }, nil)
}

// make checks the targets and variables of make.
func (t *Tree) make(words []string) (lies []string) {
	for _, word := range words {
		name, _, sets := strings.Cut(word, "=")
		switch {
		case sets:
			lies = append(lies, t.word(name)...)
		case isName(word) && !t.Targets[word]:
			lies = append(lies, "make has no target "+word)
		}
	}
	return lies
}

// packages returns the folders of the packages among the words.
func (t *Tree) packages(folder string, words []string) (folders, lies []string) {
	for _, word := range words {
		name, isOurs := strings.CutPrefix(word, "partnerkit.dev/")
		if !isOurs && !strings.HasPrefix(name, "./") {
			continue
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "/..."), "@")
		found := t.folders(folder, name)
		if folders = append(folders, found...); len(found) == 0 {
			lies = append(lies, "no such package as "+name)
		}
	}
	return folders, lies
}

// flags checks the flags among words, and the patterns that select tests of the packages.
func (t *Tree) flags(words []string, known func(flag string) bool, packages []string) (lies []string) {
	for i, word := range words {
		flag := flagOf(word)
		if flag != "" && !known(flag) {
			lies = append(lies, "no such flag as "+flag)
		}
		if (flag == "-run" || flag == "-bench") && i+1 < len(words) {
			lies = append(lies, t.tests(words[i+1], packages)...)
		}
	}
	return lies
}

// tests checks that each alternative of a pattern selects a test of one of the packages, or of any
// if there are none.
func (t *Tree) tests(pattern string, packages []string) (lies []string) {
	pattern, _, _ = strings.Cut(strings.Trim(pattern, "'"), "/")
	for one := range strings.SplitSeq(pattern, "|") {
		selects, err := regexp.Compile(one)
		isTest := func(name string) bool {
			return selects.MatchString(name) && (len(packages) == 0 || slices.Contains(packages, t.Tests[name]))
		}
		if err != nil || one != "^$" && !slices.ContainsFunc(slices.Collect(maps.Keys(t.Tests)), isTest) {
			lies = append(lies, "no test has a name like "+one)
		}
	}
	return lies
}

// word checks that a name is in a file of the tree, or sets a flag.
func (t *Tree) word(name string) []string {
	if t.Words[name] || isForeign(name) || t.isSetting(name) {
		return nil
	}
	return []string{name + " is in no file but documents"}
}

// isName reports whether a word can be the name of a command or target.
func isName(word string) bool {
	return word != "" && word[0] != '-' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// flagOf returns the flag at the beginning of a word, with its dashes, or "".
func flagOf(word string) string {
	name := strings.TrimLeft(word, "-")
	dashes := len(word) - len(name)
	if end := strings.IndexFunc(name, func(r rune) bool { return r != '-' && !unicode.IsLower(r) && !unicode.IsDigit(r) }); end >= 0 {
		name = name[:end]
	}
	if name == "" || dashes < 1 || dashes > 2 {
		return ""
	}
	return word[:dashes] + name
}
