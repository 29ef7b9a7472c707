package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

func newHealth() *cobra.Command {
	var addr string
	command := &cobra.Command{
		Use:   "health",
		Short: "Ask a service that runs whether it is ready",
		Long: `Asks the service at the address whether it is ready, and ends with 0 where it is: for
containers, which have no shell and no curl.`,
		Example: `  marketplace health
  marketplace health --addr 127.0.0.1:9000`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.Healthy(command.Context(), addr, "/readyz"); err != nil {
				return err
			}
			_, err := fmt.Fprintln(command.OutOrStdout(), "the service is ready")
			return err
		},
	}
	command.Flags().StringVar(&addr, "addr", defaultAddr, "the `address` that the service listens on")
	settle(command)
	return command
}
