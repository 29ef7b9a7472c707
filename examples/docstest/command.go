package docstest

import (
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

// Check returns a problem for each command, flag and make target of ours that a document
// names and that is not there, in blocks of commands and in backticks.
func (c *Commands) Check(documents []*Document) (problems []string) {
	for _, d := range documents {
		report := func(line int, err error) {
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", d.Place(line), err))
			}
		}
		for _, block := range d.Blocks {
			if block.Language != "sh" {
				continue
			}
			calls, err := calls(block.Text)
			report(block.Line, err)
			for _, call := range calls {
				report(block.Line+call.line-1, c.check(call.words))
			}
		}
		for _, code := range d.Code {
			first, rest, _ := strings.Cut(code.Text, " ")
			switch {
			case strings.HasPrefix(first, "--") && len(first) > 2:
				report(code.Line, c.checkFlag(first))
			case rest != "" && (slices.Contains(Programs, first) || first == "make"):
				if calls, err := calls(strings.ReplaceAll(code.Text, "…", "...")); err == nil && len(calls) > 0 { // else it is prose
					report(code.Line, c.check(calls[0].words))
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

// check holds a call of a program of ours, go run's among them, and of make to what there is.
func (c *Commands) check(words []string) error {
	if len(words) > 2 && words[0] == "go" && words[1] == "run" {
		words = words[2:]
	}
	switch name := path.Base(words[0]); {
	case slices.Contains(Programs, name):
		return c.checkProgram(name, words[1:])
	case name == "make":
		for _, target := range words[1:] {
			if target != "" && !strings.ContainsAny(target, "=-.…") && !slices.Contains(c.make, target) {
				return fmt.Errorf("make %s: no such target", target)
			}
		}
	}
	return nil
}

func (c *Commands) checkProgram(program string, args []string) error {
	name, at := program, c.known[program]
	for len(args) > 0 && slices.Contains(at.subcommands, args[0]) {
		name += " " + args[0]
		at, args = c.known[name], args[1:]
	}
	for _, arg := range args {
		flag, _, _ := strings.Cut(arg, "=")
		switch {
		case len(at.subcommands) > 0 && arg != "" && !strings.HasPrefix(arg, "-") && name == program:
			return fmt.Errorf("%s %s: %s has no such command", name, arg, name)
		case strings.HasPrefix(flag, "-") && len(flag) > 1 && !at.has(flag):
			return fmt.Errorf("%s has no flag %s", name, flag)
		}
	}
	return nil
}

// checkFlag wants a flag in backticks to be one of any command.
func (c *Commands) checkFlag(text string) error {
	name, _, _ := strings.Cut(text, "=")
	for _, known := range c.known {
		if known.has(strings.TrimRight(name, ",:")) {
			return nil
		}
	}
	return fmt.Errorf("`%s`: no command of ours has this flag", text)
}

func (c *command) has(flag string) bool {
	return flag == "--help" || flag == "--version" || slices.Contains(c.flags, flag)
}
