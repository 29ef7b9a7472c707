// Demo shows what partnerkit does: a mock partner that passes the conformance suite, a marketplace
// that sells its activities, bookings and their outcomes, a partner that fails and recovers, and a
// verdict on both sides.
//
//	demo        runs the steps and prints them
//	demo up     starts the same services with some bookings, and serves until Ctrl-C
//
// It runs the commands as a user would, so it shows their real behaviour. The demo uses free ports
// of loopback; demo up uses ports 8080 and 8081 if they are free. The marketplace has its own
// PostgreSQL in a temporary folder. Each step is checked. The output, the commands' logs and the
// reports stay in one folder; demo up uses a folder below it. The exit code is 0 if every step
// succeeded, and 1 if a step failed or the demo was interrupted. The demo never leaves a service
// running.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	flags := flag.NewFlagSet("demo", flag.ExitOnError)
	bin := flags.String("bin", "build", "`folder` of the commands mockpartner, conformance and marketplace")
	out := flags.String("out", ".demo", "`folder` for the log of the steps, the commands' output and the reports")
	depth := flags.String("depth", "standard", "how much the suite tests of each partner: quick, standard or thorough")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: demo [flags] [up]\n\nShows what partnerkit does, step by step. With up, it starts the services and keeps them running.\n\nflags:")
		flags.PrintDefaults()
	}
	_ = flags.Parse(os.Args[1:]) // exits on an error
	show := runChapters
	switch {
	case flags.NArg() == 1 && flags.Arg(0) == "up":
		show, *out = stay, folderOfUp(*out)
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "demo: expected no argument or up, received %q; see -help\n", flags.Args())
		os.Exit(2)
	}
	// A closed terminal or a closed pipe must not leave services behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := onStage(ctx, *bin, *out, os.Stdout, func(ctx context.Context, s *stage) error {
		s.depth = *depth
		return show(ctx, s)
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// folderOfUp returns the folder of demo up. It is below the demo's folder, so that a demo does not
// remove the logs of running services.
func folderOfUp(out string) string { return filepath.Join(out, "up") }

// onStage runs show with a new stage. The error names the folder of the logs.
func onStage(ctx context.Context, bin, out string, screen io.Writer, show func(context.Context, *stage) error) error {
	s, err := open(bin, out, screen)
	if err != nil {
		return err
	}
	if err = errors.Join(show(ctx, s), s.close()); err != nil {
		return fmt.Errorf("%w\nthe logs are in %s", err, out)
	}
	return nil
}

// chapters returns all chapters of the demo. often is how often the marketplace probes and sweeps.
func chapters(often paces) []chapter {
	return []chapter{
		{"A partner", []step{
			{"A mock partner starts", partnerStarts},
			{"The suite judges it by the contract, rule by rule", partnerIsJudged},
		}},
		{"A marketplace", []step{
			{"A marketplace starts, with its own PostgreSQL", func(ctx context.Context, s *stage) error { return marketStarts(ctx, s, often) }},
			{"Its operator makes accounts for a partner and a shop", accountsAreMade},
			{"The partner registers its platform", partnerRegisters},
			{"The partner triggers a pull of its catalog by a webhook", catalogIsPulled},
		}},
		{"A customer books", []step{
			{"The shop lists what there is, in two currencies", activitiesAreListed},
			{"It looks for days with seats left", seatsAreFound},
			{"A customer holds two of them", seatsAreHeld},
			{"She pays, and the partner confirms", holdIsPaid},
		}},
		{"Other ends", []step{
			{"A customer walks away: the seats go back", oneIsAbandoned},
			{"Another does not pay in time: the clock ends the hold", oneExpires},
			{"A third pays and cancels later", oneIsCancelled},
			{"A slot sells out elsewhere: a webhook reports it", slotSellsOut},
		}},
		{"Trouble", []step{
			{"The answer to a confirm is lost, and the booking is still confirmed", answerIsLost},
			{"A confirm is refused: an operator finds the payment, and settles it", operatorSettles},
			{"The partner's platform breaks", partnerBreaks},
			{"The partner recovers, and the marketplace detects it", partnerHeals},
		}},
		{"Who keeps the contract, and who does not", []step{
			{"The mock partner judges the marketplace", marketplaceIsJudged},
			{"The suite judges a partner whose releases return no seats", brokenPartnerIsFound},
		}},
	}
}

// runChapters runs all chapters.
func runChapters(ctx context.Context, s *stage) error {
	begun := time.Now()
	held, err := s.play(ctx, chapters(paces{probe: time.Second, sweep: time.Second}))
	if err != nil {
		return err
	}
	s.output.chapter(fmt.Sprintf("All %d steps held, in %.0f seconds", held, time.Since(begun).Seconds()))
	s.output.holds("reports and logs are in " + s.out)
	s.output.holds("make up starts the services again, with some bookings, to try things with")
	return nil
}
