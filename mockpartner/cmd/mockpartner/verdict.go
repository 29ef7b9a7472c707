package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/control"
)

const (
	exitBroken      = 1 // a rule is broken, or there was nothing to judge
	exitUnreachable = 3 // no mock answered
)

// verdictTime is how long a mock may take to judge, because it reads its complete journal.
const verdictTime = 30 * time.Second

func newVerdict() *cobra.Command {
	var address, token string
	var asJSON bool
	command := &cobra.Command{
		Use:   "verdict",
		Short: "Print whether the callers of a running mock kept the contract",
		Long: `verdict asks a running mock whether its callers kept their side of the contract, and
prints every broken rule with the exchanges that show it.

To ask another sandbox than the default one, add it to the URL:
--url http://127.0.0.1:8081/s/mine.

Exit codes:
  0  kept: no rule is broken, and at least one could be judged
  1  broken, or nothing to judge
  2  the command line, the URL or the control token is wrong
  3  the mock cannot be reached`,
		Example: `  mockpartner verdict --url http://127.0.0.1:8081
  mockpartner verdict --url http://127.0.0.1:8081 --json > verdict.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			v, err := verdictOf(c.Context(), address, token)
			if err != nil {
				return err
			}
			if err := printVerdict(c.OutOrStdout(), v, asJSON); err != nil {
				return cli.FailedError(err)
			}
			if v.Verdict != client.Kept {
				return cli.Exit{Code: exitBroken}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&address, "url", "http://"+defaultAddr, "URL of the mock, or of a sandbox in it")
	flags.StringVar(&token, "control-token", "", "the mock's control token, if it has one (also "+controlTokenVariable+")")
	flags.BoolVar(&asJSON, "json", false, "print JSON instead of text")
	cli.Fill(command, cli.Settings{Flags: flags, Variable: func(flag string) string { return variables[flag] }})
	return command
}

// verdictOf asks the mock at the address. Its error has an exit code.
func verdictOf(ctx context.Context, address, token string) (client.Verdict, error) {
	// The address may be copied from a browser that shows the console.
	address = strings.TrimSuffix(strings.TrimSuffix(address, "/"), control.Path)
	// A redirect leads away from the mock, and its target must not receive the token.
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	mock, err := client.New(address, client.Options{Token: token, HTTP: stay})
	if err != nil {
		return client.Verdict{}, cli.Misuse(fmt.Errorf("--url: %s", strings.TrimPrefix(err.Error(), "mock: ")))
	}
	ctx, cancel := context.WithTimeout(ctx, verdictTime)
	defer cancel()
	v, err := mock.Journal.Verdict(ctx)
	refusal, failed := (*client.Error)(nil), (*url.Error)(nil)
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized:
		return v, cli.Misuse(fmt.Errorf("the mock at %s requires its control token: set --control-token or %s", address, controlTokenVariable))
	case errors.As(err, &refusal) && refusal.Status < http.StatusInternalServerError:
		return v, cli.Misuse(fmt.Errorf("--url %s: %d: %s", address, refusal.Status, refusal.Message))
	case errors.As(err, &failed):
		return v, unreachableError(address, failed.Err)
	case err == nil && len(v.Rules) == 0, notJSON(err):
		return v, cli.Misuse(fmt.Errorf("--url %s: the answer is not a verdict: expected the address of a mock partner", address))
	case err != nil:
		return v, unreachableError(address, err)
	}
	return v, nil
}

func unreachableError(address string, err error) error {
	return cli.Exit{Code: exitUnreachable, Err: fmt.Errorf("the mock at %s cannot be reached: %w", address, err)}
}

func notJSON(err error) bool {
	syntax, kind := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil)
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

func printVerdict(out io.Writer, v client.Verdict, asJSON bool) error {
	if asJSON {
		return writeJSON(out, v)
	}
	_, err := io.WriteString(out, v.String())
	return err
}
