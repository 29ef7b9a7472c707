package main

import (
	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

func newHealth() *cobra.Command {
	command := cli.NewHealth(&cobra.Command{
		Use:   "health",
		Short: "Ask a service that runs whether it is ready",
		Long: `Asks the service at the address whether it is ready, and ends with 0 where it is: for
containers, which have no shell and no curl.`,
		Example: `  marketplace health
  marketplace health --addr 127.0.0.1:9000`,
		Args: noArguments,
	}, defaultAddr, "the `address` that the service listens on", "/readyz", "the service is ready")
	settle(command)
	return command
}
