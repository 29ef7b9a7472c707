package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
)

type cleanupFlags struct {
	settings.Target
	force, asJSON bool
}

func newCleanup(environment settings.Environment) *cobra.Command {
	var flags cleanupFlags
	flags.Environment = environment
	command := &cobra.Command{
		Use:   "cleanup LEDGER",
		Short: "Undo the holds and bookings of a killed run",
		Long: `Reads the ledger of a run, releases the holds and cancels the bookings that are
still open in it, and records this in the ledger. You can run it again.

A hold whose answer never arrived has no code, so it cannot be released. It is listed
with its slot, the resellerReference of its reserve, and the time by which it expires.

The partner's address is in the ledger; the key is not, and is read from
` + probe.KeyVariable + `, or the variable that --auth-key-env names.

A ledger is cleaned up only if a run with this key at this address wrote every
line of it. Otherwise an altered ledger could send the key to a stranger, or
cancel other bookings. --force with --base-url skips this check: use it for your
own ledger if the partner has moved, if its key was replaced, or if an older
version of this command wrote the ledger.

Exit codes:
  0  nothing is left
  1  some holds or bookings could not be undone; they are listed
  2  the command line was wrong, or the command failed
  3  the partner was not reached`,
		Example: `  conformance cleanup conformance-report/ledger.jsonl
  conformance cleanup conformance-report/ledger.jsonl --json
  conformance cleanup ledger.jsonl --force --base-url https://new.partner.example`,
		Args: cli.Exactly(1, "cleanup: expected one ledger file, received %d; every run prints the path of its ledger"),
		RunE: func(command *cobra.Command, args []string) error { return flags.run(command, args[0]) },
	}
	f := command.Flags()
	flags.Target.Register(f)
	f.Lookup("base-url").Usage = "the partner's `address`; an address other than the ledger's requires --force"
	f.Lookup("clock-url").Usage = "an `address` where the target's clock is read, to know whether a hold has expired"
	f.StringVar(&flags.AuthType, "auth-type", "", settings.AuthTypeUsage+"; set it if it differs from the ledger's")
	f.BoolVar(&flags.force, "force", false, "with --base-url: clean up without verifying that a run with this key at this address wrote the ledger")
	f.BoolVar(&flags.asJSON, "json", false, "print the results as JSON")
	registerCompletions(command, map[string]cobra.CompletionFunc{"auth-type": oneOf(authTypes), "ca-file": files("pem", "crt"), "client-cert": files("pem", "crt"), "client-key": files("pem", "key")})
	return command
}

type cleanedUp struct {
	Ledger    string            `json:"ledger"`
	Undone    []report.Leftover `json:"undone"`
	NotUndone []report.Leftover `json:"not_undone"`
	reached   bool
}

func (f cleanupFlags) run(command *cobra.Command, file string) error {
	redact := probe.NewRedactor(f.Key()).Redact
	account, err := f.open(file)
	if err != nil {
		return err
	}
	result, err := f.cleanUp(command.Context(), account, redact)
	if err := errors.Join(err, account.Err(), account.Close()); err != nil {
		return err
	}
	if f.asJSON {
		err = writeJSON(command.OutOrStdout(), result)
	} else {
		newTerminal(command.OutOrStdout(), redact).cleanedUp(result)
	}
	switch {
	case err != nil:
		return err
	case !result.reached:
		return cli.Exit{Code: exitIncomplete}
	case len(result.NotUndone) > 0:
		return cli.Exit{Code: exitNonconformant}
	}
	return nil
}

// open opens the ledger of the run that the flags describe.
func (f cleanupFlags) open(file string) (*ledger.Ledger, error) {
	proof := ledger.Proof{AuthKey: f.Key(), Waived: f.force}
	if f.force && f.BaseURL == "" {
		return nil, errors.New("--force needs --base-url: the address in a ledger that is not verified is not used")
	}
	if f.BaseURL != "" {
		address, err := settings.ParseBaseURL(f.BaseURL)
		if err != nil {
			return nil, err
		}
		proof.BaseURL = address.String()
	}
	if err := f.CheckKey(); err != nil {
		return nil, err
	}
	account, err := ledger.Open(file, proof)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the ledger %w: clean up as the user who ran the suite", err)
	case errors.Is(err, ledger.ErrOtherAddress):
		return nil, fmt.Errorf("the ledger %w: leave out --base-url, or add --force if the partner has moved", err)
	case errors.Is(err, ledger.ErrNoMACs), errors.Is(err, ledger.ErrAltered):
		return nil, fmt.Errorf("the ledger %w: read it, and if its holds and bookings are yours, run 'conformance cleanup --force --base-url ADDRESS %s'", err, file)
	case err != nil:
		return nil, fmt.Errorf("the ledger %w", err)
	}
	return account, nil
}

func (f cleanupFlags) cleanUp(ctx context.Context, account *ledger.Ledger, redact func(string) string) (cleanedUp, error) {
	result := cleanedUp{Ledger: account.Name(), Undone: []report.Leftover{}, NotUndone: []report.Leftover{}, reached: true}
	open := account.Open()
	if len(open) == 0 {
		return result, nil
	}
	work, err := f.newUndoing(ctx, account)
	if err != nil {
		return result, err
	}
	defer work.Client.Close()
	work.All(ctx)
	result.reached = work.Client.WasReached() || len(work.Client.Exchanges()) == 0
	for _, entry := range open {
		if !entry.Open() {
			result.Undone = append(result.Undone, undo.Describe(account, *entry, redact))
		}
	}
	result.NotUndone = undo.Leftovers(account, redact)
	return result, nil
}

func (f cleanupFlags) newUndoing(ctx context.Context, account *ledger.Ledger) (undo.Undoing, error) {
	head := account.Head()
	f.BaseURL, f.AuthType = cmp.Or(f.BaseURL, head.BaseURL), cmp.Or(f.AuthType, string(head.AuthType))
	target, err := f.Check()
	if err != nil {
		return undo.Undoing{}, err
	}
	config := probe.Config{BaseURL: target.BaseURL, AuthType: target.AuthType, AuthKey: f.Key(), RootCAs: target.Roots, Certificate: target.Certificate, UserAgent: suite.UserAgent(cli.Version()), PublicOnly: f.PublicOnly}
	ahead, err := suite.ClockAhead(ctx, f.ClockURL, config.RootCAs, config.Certificate)
	if err != nil {
		return undo.Undoing{}, err
	}
	now := func() time.Time { return time.Now().Add(ahead) }
	account.SetClock(now)
	return undo.Undoing{Client: probe.NewClient(config), Ledger: account, Now: now, LimitScale: 1}, nil
}

func (t *terminal) cleanedUp(result cleanedUp) {
	for _, one := range result.Undone {
		t.printf("undone: %s\n", leftover(one))
	}
	for _, one := range result.NotUndone {
		t.printf("not undone: %s\n", leftover(one))
	}
	switch {
	case !result.reached:
		t.printf("the partner could not be reached; run the command again when it is reachable\n")
	case len(result.NotUndone) > 0:
		t.printf("%d undone, %d left\n", len(result.Undone), len(result.NotUndone))
	default:
		t.printf("%d undone, nothing is left\n", len(result.Undone))
	}
}
