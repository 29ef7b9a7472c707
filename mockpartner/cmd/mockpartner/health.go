package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/mockpartner/internal/control"
)

func newHealth() *cobra.Command {
	var addr string
	command := &cobra.Command{
		Use:   "health",
		Short: "Ask a mock that runs whether it is up",
		Long: `health asks the mock at the address whether it is up, and ends with 0 where it is: for
containers, which have no shell and no curl.`,
		Example: `  mockpartner health --addr 127.0.0.1:8081`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := cli.Healthy(c.Context(), addr, control.Path+"/healthz"); err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintln(c.OutOrStdout(), "the mock is up")
			return nil
		},
	}
	command.Flags().StringVar(&addr, "addr", defaultAddr, "address that the mock listens on")
	return command
}
