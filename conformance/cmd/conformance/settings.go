package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/nearest"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/cli"
)

// settingsFile is the file that is read where it lies in the working directory.
const settingsFile = "conformance.yaml"

// settingsOf returns what fills the flags of the run command from the environment,
// where CONFORMANCE_ stands before their names, and from a file. An empty variable says
// nothing.
func settingsOf(command *cobra.Command) cli.Settings {
	return cli.Settings{
		Flags:    command.Flags(),
		Variable: cli.Prefixed("CONFORMANCE_"),
		Lookup:   func(name string) (string, bool) { text := os.Getenv(name); return text, text != "" },
		File: &cli.SettingsFile{
			Default: settingsFile,
			Fresh:   func() *pflag.FlagSet { return newRun().Flags() },
			Secrets: map[string]string{
				authKeyFlag: "set " + probe.KeyVariable + ", or name another variable with " + authKeyEnvFlag,
			},
			Hint: nearest.Hint,
		},
	}
}
