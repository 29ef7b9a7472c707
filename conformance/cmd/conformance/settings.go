package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/settings"
)

// settingsOf returns what fills the flags of the run command from the environment,
// where CONFORMANCE_ stands before their names, and from a file.
func settingsOf(command *cobra.Command) settings.Target {
	return settings.Target{
		Flags:  command.Flags(),
		Fresh:  func() *pflag.FlagSet { return newRun().Flags() },
		Getenv: os.Getenv,
		Prefix: "CONFORMANCE_",
		Secrets: map[string]string{
			authKeyFlag: "set " + probe.KeyVariable + ", or name another variable with " + authKeyEnvFlag,
		},
	}
}
