package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/script"
)

func newScenario() *cobra.Command {
	scenario := &cobra.Command{Use: "scenario", Short: "Check scenario files, and print their schema"}
	scenario.AddCommand(&cobra.Command{
		Use:     "check FILE...",
		Short:   "Tell what is wrong with scenario files, by line and column",
		Example: "  mockpartner scenario check my-scenario.yaml",
		RunE: func(c *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New("want one FILE or more, got none")
			}
			for _, file := range files {
				s, err := script.Load(file)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", file, describe(s))
			}
			return nil
		},
	}, &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files",
		Long: `schema prints the JSON Schema of scenario files. Editors that know it complete and
check what is written: a first line "# yaml-language-server: $schema=FILE" tells
many of them.`,
		Example: "  mockpartner scenario schema > scenario.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(script.Schema())
			return err
		},
	})
	return scenario
}

func describe(s *script.Scenario) string {
	ok := "ok, " + counted(len(s.Faults), "fault")
	if len(s.Quirks) > 0 {
		ok += ", " + counted(len(s.Quirks), "quirk")
	}
	return ok
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// follow plays new versions of a scenario file, as flags override them, until the
// context ends. Of one that is wrong it tells the place, and what was played
// before stays.
func follow(ctx context.Context, file script.File, mock *mockpartner.Mock, log io.Writer, override func(*script.Scenario)) {
	script.Watch(ctx, file, script.WatchEvery, func(s *script.Scenario, err error) {
		if err == nil {
			override(s)
			err = mock.Play(s)
		}
		if err != nil {
			fmt.Fprintf(log, "mockpartner: the scenario stays as it was: %v\n", err)
			return
		}
		fmt.Fprintf(log, "mockpartner: %s: read again: %s\n", file.Path, describe(s))
	})
}
