// Command conformance checks whether a partner platform conforms to the partner contract.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/selftest"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas/partnerapi"
)

func main() {
	// Handle signals until the very end: the run first releases its holds, even when the terminal
	// is closed or the output is no longer read.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// execute runs the command and returns its exit code. It reports a usage error in one line, without
// the key.
func execute(ctx context.Context, args []string, environment settings.Environment, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(environment)
	root.SetIn(stdin)
	root.SetOut(stdout)
	addCompletion(root)
	return cli.Run(ctx, root, args, stdout, stderr, exitUsage, func(command *cobra.Command, err error) string {
		message := err.Error()
		for _, key := range keysOf(command, environment) {
			message = probe.NewRedactor(key).Redact(message)
		}
		return safetext.Line(message)
	})
}

func keysOf(command *cobra.Command, environment settings.Environment) []string {
	keys := []string{environment.Get(probe.KeyVariable), environment.Get(settings.WebhookSecretVariable)}
	if given := command.Flags().Lookup(settings.WebhookSecretFlag); given != nil {
		keys = append(keys, given.Value.String())
	}
	if given := command.Flags().Lookup(settings.AuthKeyFlag); given != nil {
		keys = append(keys, given.Value.String())
	}
	if variable := command.Flags().Lookup(settings.AuthKeyEnvFlag); variable != nil {
		keys = append(keys, environment.Get(variable.Value.String()))
	}
	return keys
}

func newRoot(environment settings.Environment) *cobra.Command {
	root := &cobra.Command{
		Use:   "conformance",
		Short: "Test whether a partner platform conforms to the partner contract",
		Long: `conformance calls a partner's six endpoints as a marketplace would, judges every
answer against the contract, and reports for each rule, with evidence, whether
the partner keeps it.`,
		Example: `  export CONFORMANCE_AUTH_KEY=...
  conformance run --base-url https://partner.example/api
  conformance rules
  conformance explain reserve.vacancies.one`,
	}
	root.AddCommand(newRun(environment), newJudge(), newProxy(), newCleanup(environment), newRules(), newExplain(), newDiff(), newSelftest(), newVerify())
	cli.Prepare(root, "; '%s --help' lists all", "; '%s --help' lists the flags")
	root.SetHelpCommand(newHelp(root))
	return root
}

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Show what a command does, and its flags",
		Example: "  conformance help run",
		RunE: func(_ *cobra.Command, args []string) error {
			command, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("there is no command %q; 'conformance --help' lists all", strings.Join(args, " "))
			}
			return command.Help()
		},
	}
}

// Exit codes, for CI.
const (
	exitConformant    = 0
	exitNonconformant = 1             // a MUST rule failed
	exitUsage         = cli.ExitUsage // invalid usage, or the command failed
	exitIncomplete    = 3             // the partner could not be judged
)

// noArgs refuses arguments without showing them, because a key may be among them.
func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, only flags; '%[1]s --help' shows examples", command.CommandPath())
	}
	return nil
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// addCompletion adds the command that writes a shell's completion script. Cobra creates that
// command after the output is set.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, command := range root.Commands() {
		if command.Name() != "completion" {
			continue
		}
		command.Short = "Write a completion script for a shell"
		command.Long = `Writes a script that makes a shell complete this command: its flags, the ids of
rules, the profiles of conformance.yaml, and the names that selftest takes. The
help of each shell says where the script belongs.`
		command.Example = `  source <(conformance completion bash)
  conformance completion zsh > "${fpath[1]}/_conformance"
  conformance completion fish > ~/.config/fish/completions/conformance.fish`
		var shells []string
		for _, shell := range command.Commands() {
			shells = append(shells, shell.Name())
		}
		slices.Sort(shells)
		command.Args = func(_ *cobra.Command, args []string) error {
			return fmt.Errorf("completion takes the name of one shell: %s", strings.Join(shells, ", "))
		}
		command.RunE = func(*cobra.Command, []string) error { return nil } // without it Cobra does not check the arguments
	}
}

func oneOf(names func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// someOf completes the last of several comma-separated names, with names that are not in the list
// yet.
func someOf(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		given := strings.Split(typed, ",")
		before := strings.Join(given[:len(given)-1], ",")
		if before != "" {
			before += ","
		}
		var all []string
		for _, name := range names() {
			if !slices.Contains(given, name) {
				all = append(all, before+name)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

var folders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

func files(ends ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(ends, cobra.ShellCompDirectiveFilterFileExt)
}

func registerCompletions(command *cobra.Command, flags map[string]cobra.CompletionFunc) {
	for name, names := range flags {
		if err := command.RegisterFlagCompletionFunc(name, names); err != nil {
			panic(err) // no such flag: an error in this package that every test finds
		}
	}
}

func authTypes() (names []string) {
	for _, authType := range partnerapi.AuthTypes() {
		names = append(names, string(authType))
	}
	return names
}

func partners(kind selftest.Kind) func() []string {
	return func() (names []string) {
		for _, one := range selftest.WholePlan().Cases {
			if one.Kind == kind {
				names = append(names, one.Name)
			}
		}
		return names
	}
}
