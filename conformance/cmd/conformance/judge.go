package main

import (
	"cmp"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/settings"
	stream "partnerkit.dev/conformance/internal/traffic/follow"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
)

// harFile is the view that a judged recording does not have, because the recording is one.
const harFile = "run.har"

func newJudge() *cobra.Command {
	recorded := suite.Recorded{Version: cli.Version()}
	var dir string
	var asJSON, verbose, followed, announced bool
	command := &cobra.Command{
		Use:   "judge FILE...",
		Short: "Judge recorded traffic with a partner",
		Long: `Reads recorded calls and judges them by every rule that needs no call of its own:
what each answer must be like, and what must hold from one call to the next. Holds
and bookings are followed by their codes, from reserve to cancel. Nothing is called.

A FILE is an HTTP archive (HAR 1.2), as browsers, debugging proxies, the mock partner
(/_mock/journal/har) and 'conformance run' (run.har) write it, or the entries of an
archive, one on each line. It may be UTF-16, and compressed with gzip. Several files
are one history; their order does not matter, and a call that several of them contain
counts once. Calls of the six endpoints are judged below one base address. If the files
have calls to several, the command lists them, and --only chooses. Other calls are
ignored, and so are answers from a browser's cache.

What a recording does not show is not judged: whether seats moved for a reason,
codes whose reserve it lacks, and calls at the same time. A body that a file leaves
out, cuts short, attaches or encodes in an unknown way is unknown, not empty: an answer
is then judged by its status, and a call with an unknown request is not judged. The
report counts these calls. A call that breaks the contract itself is not held against
the partner. So the verdict is partial, or nonconformant.

With --follow, entries are read from standard input while another program writes them,
and each breach is printed as a line of JSON as soon as the rule is decided: rule, title,
level, clause, endpoint, message, fix, times (breaches since the last line about this
rule), at, and exchanges (the evidence of the last breach). There is no report. Entries
may have more fields: _history names the partner that an entry is about (default: its base
address), and each history is judged separately; _until promises that no later entry of the history started before that time,
so that calls are judged without waiting for others; _handles_ticket_delivery is the
flag for one history. GOMEMLIMIT limits the memory: what was used least is forgotten.

With --partial, calls of the same caller are missing, for example those that another of
its replicas sent. What they may have changed is not judged.

The reports show no key. Names, addresses and phone numbers of customers are removed
from the bodies that they show.

Exit codes:
  0  partial: no MUST rule failed in what was judged
  1  nonconformant: a MUST rule failed
  2  the command line was wrong, or the files cannot be read, have no call of the contract,
     or have calls to several base addresses`,
		Example: `  conformance judge traffic.har
  conformance judge monday.har.gz tuesday.har.gz --report-dir week
  conformance judge traffic.har --only https://partner.example/api
  curl -s http://127.0.0.1:8081/_mock/journal/har >mock.har; conformance judge mock.har
  tail -F traffic.jsonl | conformance judge --follow -`,
		Args: func(_ *cobra.Command, args []string) error {
			if followed {
				if len(args) != 1 || args[0] != "-" || recorded.Only != "" {
					return errors.New("judge --follow reads standard input: expected the argument - and no other, and no --only")
				}
				return nil
			}
			if len(args) == 0 {
				return errors.New("judge: expected one or more recording files, received none; 'conformance judge --help' shows examples")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			if followed {
				return follow(command, recorded, announced)
			}
			recorded.Files = args
			outcome, err := suite.JudgeRecorded(command.Context(), recorded)
			if err != nil {
				return err
			}
			return showJudged(command, outcome, dir, asJSON, verbose)
		},
		ValidArgsFunction: files("har", "gz", "jsonl", "json"),
	}
	f := command.Flags()
	f.BoolVar(&recorded.HandlesTicketDelivery, "handles-ticket-delivery", false, "the partner is registered as delivering its own tickets: bookings must have them")
	f.StringVar(&recorded.Only, "only", "", "the partner's base `URL`, if the files have calls to several")
	f.BoolVar(&followed, "follow", false, "judge the entries that another program writes to standard input, and print each breach as a line of JSON")
	f.BoolVar(&announced, "announce", false, "with --follow, print the name of a history before its calls are judged, as a line of JSON with the field history alone")
	f.BoolVar(&recorded.Partial, "partial", false, "calls of the same caller are missing: leave open what they may have changed")
	f.StringVar(&dir, "report-dir", settings.ReportFolder, "the `folder` for the reports; it is created if missing")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON, and nothing else")
	f.BoolVarP(&verbose, "verbose", "v", false, "show every rule, and the answer times")
	registerCompletions(command, map[string]cobra.CompletionFunc{"report-dir": folders})
	return command
}

// follow judges standard input until it ends.
func follow(command *cobra.Command, r suite.Recorded, announced bool) error {
	broken, calls, err := stream.Run(command.Context(), command.InOrStdin(), command.OutOrStdout(), stream.Options{Tickets: r.HandlesTicketDelivery, Partial: r.Partial, Announce: announced})
	switch {
	case err != nil:
		return err
	case calls == 0:
		return suite.ErrNoCalls
	case broken:
		return cli.Exit{Code: exitNonconformant}
	}
	return nil
}

func showJudged(command *cobra.Command, outcome *suite.Outcome, dir string, asJSON, verbose bool) error {
	out, result := command.OutOrStdout(), outcome.Result
	names := slices.DeleteFunc(view.Names(), func(name string) bool { return name == harFile })
	files, sum, err := outcome.WriteReports(dir, names...)
	if asJSON {
		text, wrong := report.JSON(result)
		if err = cmp.Or(err, wrong); err == nil {
			_, err = out.Write(text)
		}
	} else {
		screen := newScreen(out, outcome.Redactor.Redact, ruleIDs(), "judging")
		screen.verbose = verbose
		for _, r := range result.Rules {
			screen.rule(r)
		}
		screen.end(result)
		screen.reports(files, sum)
	}
	return exit(result, err)
}
