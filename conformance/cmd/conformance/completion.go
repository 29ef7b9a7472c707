package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"partnerkit.dev/schemas/partnerapi"
)

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
