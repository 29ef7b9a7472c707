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
	known map[string][]string // the flags of each command, by all its words; of make there are targets
	flags []string            // of all commands
}

// NewCommands are those of the programs in bin, and the targets of the root's Makefile.
func NewCommands(bin, root string) (*Commands, error) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return nil, err
	}
	c := &Commands{known: map[string][]string{}}
	for _, found := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(string(makefile), -1) {
		c.known["make "+found[1]] = nil
	}
	for _, program := range Programs {
		if err := c.learn(bin, program); err != nil {
			return nil, err
		}
	}
	return c, nil
}

var (
	commandsOfHelp = regexp.MustCompile(`(?ms)Commands:\n(.*?)\n$`)
	firstWord      = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) `)
	flagOfHelp     = regexp.MustCompile(`(?m)^ {2,6}(?:(-[a-zA-Z]), )?(--[a-z][a-z0-9-]*)`)
)

// learn asks a command, and those below it, for their help.
func (c *Commands) learn(bin string, words ...string) error {
	out, err := exec.Command(filepath.Join(bin, words[0]), append(slices.Clone(words[1:]), "--help")...).Output()
	if err != nil {
		return fmt.Errorf("%s --help: %w", strings.Join(words, " "), err)
	}
	flags := []string{"--help", "--version"}
	for _, found := range flagOfHelp.FindAllStringSubmatch(string(out), -1) {
		flags = append(flags, found[1:]...)
	}
	c.known[strings.Join(words, " ")] = flags
	c.flags = append(c.flags, flags...)
	for _, section := range commandsOfHelp.FindAllStringSubmatch(string(out), -1) {
		for _, found := range firstWord.FindAllStringSubmatch(section[1], -1) {
			if err := c.learn(bin, append(slices.Clone(words), found[1])...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check returns a problem for each command, flag and make target of ours that a document
// names and that is not there, in blocks of commands and in backticks.
func (c *Commands) Check(documents []*Document) (problems []string) {
	for _, d := range documents {
		check := func(script string, line int) {
			file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s: want commands for a shell: %v", d.Place(line), err))
				return
			}
			syntax.Walk(file, func(n syntax.Node) bool {
				if call, ok := n.(*syntax.CallExpr); ok {
					for _, problem := range c.check(call.Args) {
						problems = append(problems, fmt.Sprintf("%s: %s", d.Place(line+int(call.Pos().Line())-1), problem))
					}
				}
				return true
			})
		}
		for _, block := range d.Blocks {
			if block.Language == "sh" {
				check(block.Text, block.Line)
			}
		}
		for _, code := range d.Code {
			first, rest, _ := strings.Cut(code.Text, " ")
			flag, _, _ := strings.Cut(first, "=")
			switch {
			case rest != "" && (slices.Contains(Programs, first) || first == "make"):
				check(strings.ReplaceAll(code.Text, "…", "..."), code.Line)
			case strings.HasPrefix(flag, "--") && len(flag) > 2 && !slices.Contains(c.flags, strings.TrimRight(flag, ",:")):
				problems = append(problems, fmt.Sprintf("%s: no command of ours has the flag %s", d.Place(code.Line), flag))
			}
		}
	}
	return problems
}

// check holds a call of a program of ours, or of make, to what there is. The literal of a
// word is empty where it is not known before it runs.
func (c *Commands) check(args []*syntax.Word) (problems []string) {
	if len(args) > 2 && args[0].Lit() == "go" && args[1].Lit() == "run" {
		args = args[2:]
	}
	if len(args) == 0 {
		return nil
	}
	name := path.Base(args[0].Lit())
	flags, ours := c.known[name]
	for _, arg := range args[1:] {
		flag, _, _ := strings.Cut(arg.Lit(), "=")
		below, found := c.known[name+" "+arg.Lit()]
		switch {
		case found && ours:
			name, flags = name+" "+arg.Lit(), below
		case ours && strings.HasPrefix(flag, "-") && len(flag) > 1 && !slices.Contains(flags, flag):
			problems = append(problems, name+" has no flag "+flag)
		case ours && !strings.HasPrefix(flag, "-") && flag != "" && slices.Contains(Programs, name),
			name == "make" && flag != "" && !found && !strings.ContainsAny(arg.Lit(), "=-."):
			problems = append(problems, name+" "+flag+": no such command")
		}
	}
	return problems
}
