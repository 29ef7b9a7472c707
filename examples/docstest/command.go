package docstest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Programs are the commands of the project.
var Programs = []string{"conformance", "marketplace", "mockpartner"}

// Commands are those that a document may name, as they tell themselves with --help.
type Commands struct {
	bin   string
	known map[string]*command // by all their words
	make  []string            // targets
}

// A command is one of a program's, or the program.
type command struct {
	subcommands, flags []string
}

// NewCommands are those of the programs in bin, and the targets of the root's Makefile.
func NewCommands(bin, root string) (*Commands, error) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return nil, err
	}
	c := &Commands{bin: bin, known: map[string]*command{}}
	for _, found := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(makefile), -1) {
		c.make = append(c.make, found[1])
	}
	for _, program := range Programs {
		if err := c.learn(program); err != nil {
			return nil, err
		}
	}
	return c, nil
}

var (
	subcommandLine = regexp.MustCompile(`^  ([a-z][a-z-]*) `)
	flagLine       = regexp.MustCompile(`^ {2,6}(?:-([a-zA-Z]), )?--([a-z][a-z0-9-]*)`)
)

// learn asks a command, and those below it, for their help.
func (c *Commands) learn(words ...string) error {
	out, err := exec.Command(filepath.Join(c.bin, words[0]), append(slices.Clone(words[1:]), "--help")...).Output()
	if err != nil {
		return fmt.Errorf("%s --help: %w", strings.Join(words, " "), err)
	}
	learned := &command{}
	section := ""
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimRight(line, "\n"); strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			section = line
		}
		if found := subcommandLine.FindStringSubmatch(line); found != nil && strings.HasSuffix(section, "Commands:") {
			learned.subcommands = append(learned.subcommands, found[1])
		}
		if found := flagLine.FindStringSubmatch(line); found != nil && strings.HasSuffix(section, "Flags:") {
			learned.flags = append(learned.flags, "-"+found[1], "--"+found[2])
		}
	}
	c.known[strings.Join(words, " ")] = learned
	for _, sub := range learned.subcommands {
		if err := c.learn(append(slices.Clone(words), sub)...); err != nil {
			return err
		}
	}
	return nil
}

// flags are those of all commands.
func (c *Commands) flags() (all []string) {
	for _, known := range c.known {
		all = append(all, known.flags...)
	}
	return append(all, "--help", "--version")
}

// Check returns a problem for each command of ours, each make target and each folder
// of Go that a document names and that is not there, in blocks of commands and in backticks.
func (c *Commands) Check(root string, documents []*Document) (problems []string) {
	flags := c.flags()
	for _, d := range documents {
		report := func(line int, err error) {
			problems = append(problems, fmt.Sprintf("%s: %v", d.Place(line), err))
		}
		for _, block := range d.Blocks {
			if block.Language != "sh" {
				continue
			}
			calls, err := calls(block.Text)
			if err != nil {
				report(block.Line, err)
			}
			for _, call := range calls {
				if err := c.check(root, d, call.words); err != nil {
					report(block.Line+call.line-1, err)
				}
			}
		}
		for _, code := range d.Code {
			first, rest, _ := strings.Cut(code.Text, " ")
			switch {
			case strings.HasPrefix(first, "--") && len(first) > 2:
				if name, _, _ := strings.Cut(first, "="); !slices.Contains(flags, strings.TrimRight(name, ",:")) {
					report(code.Line, fmt.Errorf("`%s`: no command of ours has this flag", code.Text))
				}
			case slices.Contains(Programs, first) && rest != "", first == "make" && rest != "":
				calls, err := calls(strings.ReplaceAll(code.Text, "…", "..."))
				if err != nil || len(calls) == 0 {
					continue // it is prose
				}
				if err := c.check(root, d, calls[0].words); err != nil {
					report(code.Line, err)
				}
			case strings.HasPrefix(code.Text, "go test "):
				if err := checkBenchmark(root, code.Text); err != nil {
					report(code.Line, err)
				}
			}
		}
	}
	return problems
}

// A call is a command with its words, "" where one is not known before it runs.
type call struct {
	words []string
	line  int
}

func calls(script string) (all []call, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, fmt.Errorf("want commands for a shell: %w", err)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if expression, ok := n.(*syntax.CallExpr); ok && len(expression.Args) > 0 {
			found := call{line: int(expression.Pos().Line())}
			for _, word := range expression.Args {
				found.words = append(found.words, word.Lit())
			}
			all = append(all, found)
		}
		return true
	})
	return all, nil
}

func (c *Commands) check(root string, d *Document, words []string) error {
	switch name := path.Base(words[0]); {
	case slices.Contains(Programs, name):
		return c.checkProgram(append([]string{name}, words[1:]...))
	case name == "make":
		return c.checkMake(words[1:])
	case name == "go" && len(words) > 2:
		return c.checkGo(root, d, words[1:])
	}
	return nil
}

func (c *Commands) checkProgram(words []string) error {
	name, args := words[0], words[1:]
	at := c.known[name]
	for len(args) > 0 && slices.Contains(at.subcommands, args[0]) {
		name += " " + args[0]
		at, args = c.known[name], args[1:]
	}
	for _, arg := range args {
		flag, _, _ := strings.Cut(arg, "=")
		switch {
		case len(at.subcommands) > 0 && arg != "" && !strings.HasPrefix(arg, "-") && name == words[0]:
			return fmt.Errorf("%s %s: %s has no such command", name, arg, name)
		case strings.HasPrefix(flag, "-") && len(flag) > 1 && !slices.Contains(append(at.flags, "--help", "--version"), flag):
			return fmt.Errorf("%s has no flag %s", name, flag)
		}
	}
	return nil
}

func (c *Commands) checkMake(args []string) error {
	for _, arg := range args {
		if arg != "" && !strings.ContainsAny(arg, "=-.…") && !slices.Contains(c.make, arg) || strings.HasSuffix(arg, "-test") && !slices.Contains(c.make, arg) {
			return fmt.Errorf("make %s: no such target", arg)
		}
	}
	return nil
}

// checkGo holds folders such as ./suite to the tree, and what is run to the command in it.
func (c *Commands) checkGo(root string, d *Document, args []string) error {
	for n, arg := range args {
		if !strings.HasPrefix(arg, "./") {
			continue
		}
		folder := strings.TrimSuffix(arg, "/...")
		if !exists(root, path.Join(d.Folder(), folder)) {
			return errors.New("go " + args[0] + " " + arg + ": no such folder")
		}
		if name := path.Base(folder); args[0] == "run" && slices.Contains(Programs, name) {
			return c.checkProgram(append([]string{name}, args[n+1:]...))
		}
	}
	return nil
}

var (
	benchPattern  = regexp.MustCompile(`-bench '?([^ ']+)`)
	benchFunction = regexp.MustCompile(`(?m)^func Benchmark(\w+)\(`)
)

// checkBenchmark wants a benchmark that fits what is asked for, in a folder of the name
// that the command ends with, of whatever module.
func checkBenchmark(root, said string) error {
	asked := benchPattern.FindStringSubmatch(said)
	if asked == nil {
		return nil
	}
	fits, err := regexp.Compile(asked[1])
	if err != nil {
		return err
	}
	folder := said[strings.LastIndex(said, " ")+1:]
	files, err := filepath.Glob(filepath.Join(root, "*", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, found := range benchFunction.FindAllSubmatch(source, -1) {
			if fits.Match(found[1]) {
				return nil
			}
		}
	}
	return fmt.Errorf("`%s`: no such benchmark", said)
}
