package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/octobridge/internal/offer"
)

func newCatalog() *cobra.Command {
	var s supplierSettings
	command := &cobra.Command{
		Use:   "catalog",
		Short: "Show what a marketplace would see, and what is set aside",
		Long: `catalog reads the supplier's products and prints what the bridge would offer. It then
prints what the contract cannot say: what is set aside, and what is sold with a limit. It
makes one call, GET /products.`,
		Example: `  octobridge catalog --octo-url https://supplier.example/octo
  octobridge catalog --octo-url https://supplier.example/octo --units units.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			offered, err := s.offered(c.Context())
			if err != nil {
				return cli.FailedError(err)
			}
			for _, product := range offered.Products {
				fmt.Fprintf(c.OutOrStdout(), "%s  %s\n", safetext.Line(product.ID), safetext.Line(product.InternalName))
				for _, option := range product.Options {
					fmt.Fprintf(c.OutOrStdout(), "  %s  %s\n", safetext.Line(option.ID), safetext.Line(option.InternalName))
					for _, unit := range option.Units {
						price := unit.PricingFrom[0]
						fmt.Fprintf(c.OutOrStdout(), "    %-14s %s  from %d %s\n", safetext.Line(unit.ID), safetext.Line(unit.InternalName), price.Original, price.Currency)
					}
				}
			}
			report(c.OutOrStdout(), offered)
			return nil
		},
	}
	s.register(command.Flags())
	settle(command, s.mistakes)
	return command
}

// report prints how much is sold, and every note.
func report(out io.Writer, offered *offer.Offer) {
	fmt.Fprintf(out, "%s can be sold", plural.Count(len(offered.Products), "product"))
	if len(offered.Notes) > 0 {
		fmt.Fprint(out, "; the contract cannot say this:")
	}
	fmt.Fprintln(out)
	for _, note := range offered.Notes {
		fmt.Fprintln(out, "  "+safetext.Line(note.String()))
	}
}
