package main

import (
	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/mockpartner/internal/control"
)

func newHealth() *cobra.Command {
	return cli.NewHealth(&cobra.Command{
		Use:   "health",
		Short: "Ask a mock that runs whether it is up",
		Long: `health asks the mock at the address whether it is up, and ends with 0 where it is: for
containers, which have no shell and no curl.`,
		Example: `  mockpartner health --addr 127.0.0.1:8081`,
		Args:    cobra.NoArgs,
	}, defaultAddr, "address that the mock listens on", control.Path+"/healthz", "the mock is up")
}
