package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/mockpartner/internal/twin"
	"partnerkit.dev/schemas/partnerapi"
)

// keyVariable is the default environment variable of the partner's key.
const keyVariable = "PARTNER_AUTH_KEY"

type learnFlags struct {
	baseURL, authType, keyVariable, only, out string
	clientCert, clientKey                     string
	recordings                                []string
	rate                                      float64
	maxCalls                                  int
	maxDuration                               time.Duration
}

func newLearn() *cobra.Command {
	var f learnFlags
	command := &cobra.Command{
		Use:   "learn",
		Short: "Write a scenario that behaves like a real partner",
		Long: `learn makes a twin of a partner: a scenario with which the mock sells,
answers and fails like the partner. It reads the partner's catalog and the slots of
the next 60 days, as a catalog sync does. It holds and books nothing.

What reserve, confirm, release and cancel do is learned from recordings: HTTP
archives (HAR) of browsers and proxies, what 'conformance proxy --record' writes, or
the run.har of a conformance run, which contains the most. A recording alone is enough.
Recordings must have calls to one base address, or --only chooses one. A call that
several of them contain counts once. A body that a recording leaves out, cuts short,
attaches or encodes in an unknown way is unknown: nothing is learned from it.

The file states for each part what it was learned from, and what was guessed. It
contains no key and no customer's data. Calls are made one after another, at most
--max-rps a second.

Exit codes:
  0  the scenario was written
  1  there was no catalog to learn from, the recordings cannot be read or have calls to
     several base addresses, or the file cannot be written
  2  the command line is wrong`,
		Example: `  PARTNER_AUTH_KEY=a-test-key mockpartner learn --base-url http://127.0.0.1:8081 --out twin.yaml
  curl http://127.0.0.1:8081/_mock/journal/har > calls.har
  PARTNER_AUTH_KEY=a-test-key mockpartner learn --base-url http://127.0.0.1:8081 --har calls.har --out twin.yaml
  mockpartner learn --har calls.har --out recorded-twin.yaml
  mockpartner serve --auth-key a-test-key --scenario twin.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.baseURL, "base-url", "", "the partner's base URL; without it only recordings are read")
	flags.StringVar(&f.authType, "auth-type", string(partnerapi.Bearer), "how the partner expects its key: bearer or api_key")
	flags.StringVar(&f.keyVariable, "auth-key-env", keyVariable, "the environment `variable` that holds the partner's key")
	flags.StringVar(&f.clientCert, "client-cert", "", "a PEM `file` with the client certificate to send, if the partner requires one")
	flags.StringVar(&f.clientKey, "client-key", "", "the PEM `file` with the private key of --client-cert")
	flags.StringSliceVar(&f.recordings, "har", nil, "`files` with recorded calls: HTTP archives, or their entries, one on each line")
	flags.StringVar(&f.only, "only", "", "the partner's base `URL` in the recordings, if they have calls to several")
	flags.StringVar(&f.out, "out", "twin.yaml", "the scenario `file` to write; - means standard output")
	flags.Float64Var(&f.rate, "max-rps", 5, "make at most this many calls a second; 0 means no limit")
	flags.IntVar(&f.maxCalls, "max-calls", twin.DefaultMaxCalls, "make at most this many calls")
	flags.DurationVar(&f.maxDuration, "max-duration", 10*time.Minute, "how long reading the partner may take")
	return command
}

func (f learnFlags) run(c *cobra.Command) error {
	options := twin.Options{
		BaseURL: f.baseURL, AuthType: partnerapi.AuthType(f.authType), AuthKey: os.Getenv(f.keyVariable),
		Recordings: f.recordings, Only: f.only, Rate: f.rate, MaxCalls: f.maxCalls,
	}
	switch {
	case f.baseURL == "" && len(f.recordings) == 0:
		return errors.New("expected --base-url, --har or both")
	case f.baseURL != "" && options.AuthKey == "":
		return fmt.Errorf("the partner's key is required: set %s, or name another variable with --auth-key-env", f.keyVariable)
	case !slices.Contains(partnerapi.AuthTypes(), options.AuthType):
		return fmt.Errorf("--auth-type: expected bearer or api_key, received %q", f.authType)
	case f.maxCalls < 1:
		return fmt.Errorf("--max-calls: expected at least 1, received %d", f.maxCalls)
	case f.rate < 0:
		return fmt.Errorf("--max-rps: expected 0 or more, received %v", f.rate)
	case f.maxDuration <= 0:
		return fmt.Errorf("--max-duration: expected a duration above 0s, received %s", f.maxDuration)
	case f.out == "":
		return errors.New("--out: expected a file, or - for standard output")
	}
	certificate, err := connection.Files{CertFlag: "--client-cert", Cert: f.clientCert, KeyFlag: "--client-key", Key: f.clientKey}.Load()
	if err != nil {
		return err
	}
	options.Certificate = certificate
	ctx, cancel := context.WithTimeout(c.Context(), f.maxDuration)
	defer cancel()
	twin, err := twin.Learn(ctx, options)
	if err != nil {
		return cli.FailedError(err)
	}
	if f.out == "-" {
		_, err := c.OutOrStdout().Write(twin.Scenario)
		return err
	}
	if err := replaceFile(f.out, twin.Scenario); err != nil {
		return cli.FailedError(err)
	}
	printTwin(safetext.Writer{To: c.OutOrStdout()}, f.out, twin)
	return nil
}

func printTwin(out io.Writer, file string, twin *twin.Twin) {
	fmt.Fprintf(out, "%s: %s, %s, %s\n", file, plural.Count(twin.Products, "product"), plural.Count(twin.Options, "option"), plural.Count(twin.Slots, "slot"))
	fmt.Fprintf(out, "learned from %s to the partner and %s\n", plural.Count(twin.Calls, "call"), plural.Count(twin.Recorded, "recorded call"))
	for _, note := range twin.Notes {
		fmt.Fprintln(out, "note: "+safetext.Line(note))
	}
	fmt.Fprintf(out, "play it: mockpartner serve --auth-key a-test-key --scenario %s\n", file)
}

// replaceFile writes a file in one step, so that readers see either the old or the new content.
func replaceFile(name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %s", name, strings.TrimPrefix(err.Error(), "rename "))
	}
	return nil
}
