package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

// Exit codes. CI decides by them.
const (
	exitConformant    = 0
	exitNonconformant = 1             // a MUST rule failed
	exitUsage         = cli.ExitUsage // the command was not understood, or could not do its work
	exitIncomplete    = 3             // the partner could not be judged
)

// noArgs refuses arguments without showing them: a key may be among them.
func noArgs(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, only flags; '%[1]s --help' shows examples", command.CommandPath())
	}
	return nil
}
