package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// The environment variables that stand in for flags: secrets are better kept
// off the command line, which other users of the machine can see.
const (
	authKeyVariable      = "MOCKPARTNER_AUTH_KEY"
	controlTokenVariable = "MOCKPARTNER_CONTROL_TOKEN"
	webhookVariable      = "MOCKPARTNER_WEBHOOK_SECRET"
)

var variables = map[string]string{
	"auth-key": authKeyVariable, "control-token": controlTokenVariable, webhookSecretFlag: webhookVariable,
}

const webhookSecretFlag = "webhook-secret"

// defaultAddr is where the mock listens unless it is told otherwise.
const defaultAddr = "127.0.0.1:8081"

// serveFlags are the flags of serve, as they are given.
type serveFlags struct {
	addr, authKey, authType, controlToken string
	catalog, codes, now, scenario         string
	products, options, maxSandboxes       int
	defects, variants                     []string
	seed                                  uint64
	holdFor                               time.Duration
	sandboxIdle                           time.Duration
	frozen, holds, cancel, tickets        bool
	webhookURL, webhookSecret             string
}

func newServe() *cobra.Command {
	var f serveFlags
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Serve a mock partner until it is interrupted",
		Long: `serve starts a mock partner and prints its address and every route. It stops on
SIGINT and SIGTERM, after the requests under way.

The same seed, clock, catalog and requests give the same answers, byte for byte:
add --now and --frozen for a run that can be repeated.

A scenario says what is sold, what time it is and how the partner misbehaves;
flags stand before it. Whatever of it a running partner can take is read again
when the file changes.

A defect is a breach of the contract by name, a variant a lawful partner that is
unlike most: mockpartner defects and mockpartner variants list them.

Bound to another address than loopback, the control API wants a token.`,
		Example: `  mockpartner serve --auth-key a-test-key
  mockpartner serve --auth-key a-test-key --auth-type api_key --addr 127.0.0.1:0
  mockpartner serve --auth-key a-test-key --products 1000 --options 3 --seed 7
  mockpartner serve --auth-key a-test-key --catalog my-catalog.yaml --hold-for 15m
  mockpartner serve --auth-key a-test-key --scenario my-scenario.yaml
  mockpartner serve --auth-key a-test-key --defect release-gives-nothing-back
  mockpartner serve --auth-key a-test-key --variant holds-of-15-minutes,awkward-codes
  mockpartner serve --auth-key a-test-key --now 2026-07-01T09:00:00Z --frozen
  MOCKPARTNER_WEBHOOK_SECRET=… mockpartner serve --auth-key a-test-key --webhook-url http://127.0.0.1:8080/api/v1/partner-integrations/…
  MOCKPARTNER_AUTH_KEY=… MOCKPARTNER_CONTROL_TOKEN=… mockpartner serve --addr 0.0.0.0:8081`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.serve(c) },
	}
	flags := serve.Flags()
	cli.Fill(serve, cli.Settings{Flags: flags, Variable: func(flag string) string { return variables[flag] }})
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", defaultAddr, "address to listen on; port 0 takes a free one")
	flags.StringVar(&f.authKey, "auth-key", "", "key that callers must present, required (also "+authKeyVariable+")")
	flags.StringVar(&f.authType, "auth-type", string(partnerapi.Bearer), "how they present it: bearer or api_key")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of slots, codes and booking ids")
	flags.StringVar(&f.catalog, "catalog", "", "YAML file of what is sold (default: a catalog of eight products)")
	flags.IntVar(&f.products, "products", 0, "generate so many products from the seed instead")
	flags.IntVar(&f.options, "options", 0, "with --products: options of each product (default 2)")
	flags.StringVar(&f.scenario, "scenario", "", "YAML file of catalog, clock, seed, policy, quirks and faults; read again when it changes")
	flags.StringSliceVar(&f.defects, "defect", nil, "break the contract in that way; `mockpartner defects` lists them")
	flags.StringSliceVar(&f.variants, "variant", nil, "be unlike most, and lawful; `mockpartner variants` lists them")
	flags.StringVar(&f.now, "now", "", "where the clock begins, such as 2026-07-01T09:00:00Z (default: now)")
	flags.BoolVar(&f.frozen, "frozen", false, "the clock stands still until it is moved")
	flags.DurationVar(&f.holdFor, "hold-for", platform.DefaultHoldFor, "how long a hold lives")
	flags.BoolVar(&f.holds, "holds", true, "reserve holds seats; with =false, confirm takes them")
	flags.BoolVar(&f.cancel, "cancel", true, "there is a cancel endpoint")
	flags.BoolVar(&f.tickets, "tickets", true, "confirm sends tickets")
	flags.StringVar(&f.codes, "codes", string(catalog.PlainCodes), "look of codes and booking ids: plain or awkward (/ + % spaces)")
	flags.IntVar(&f.maxSandboxes, "max-sandboxes", sandbox.DefaultMax, "how many sandboxes there may be")
	flags.DurationVar(&f.sandboxIdle, "sandbox-idle", sandbox.DefaultIdleFor, "how long one may go uncalled before it is deleted; -1s for ever")
	flags.StringVar(&f.webhookURL, "webhook-url", "", "where a marketplace takes webhooks, such as http://127.0.0.1:8080/api/v1/partner-integrations/…")
	flags.StringVar(&f.webhookSecret, webhookSecretFlag, "", "secret that they present (also "+webhookVariable+")")
	flags.StringVar(&f.controlToken, "control-token", "", "token that callers of the control API must present (also "+controlTokenVariable+")")
	return serve
}

func (f serveFlags) serve(c *cobra.Command) error {
	var file script.File
	if f.scenario != "" {
		var err error
		if file, err = script.Open(f.scenario); err != nil {
			return err
		}
	}
	options, err := f.mockOptions(c, file)
	if err != nil {
		return err
	}
	address, err := f.address(options.ControlToken)
	if err != nil {
		return err
	}
	mock, err := mockpartner.New(options)
	if err != nil {
		return err
	}
	listener, err := net.ListenTCP("tcp", address)
	if errors.Is(err, syscall.EACCES) {
		return cli.Failed(fmt.Errorf("cannot listen on %s: this user may not; --addr takes another address, with a port from 1024 on", f.addr))
	}
	if err != nil {
		return cli.Failed(fmt.Errorf("cannot listen on %s: %w; --addr takes another address, port 0 a free one", f.addr, errors.Unwrap(err)))
	}
	greet(c.OutOrStdout(), mock, listener.Addr())
	if file.Path != "" {
		go follow(c.Context(), file, mock, c.ErrOrStderr(), func(s *script.Scenario) {
			f.stand(c, s)
			f.override(c, s, options.Catalog)
		})
	}
	if err := serveUntil(c.Context(), listener, mock, mock.Close); err != nil {
		return cli.Failed(err)
	}
	fmt.Fprintln(c.OutOrStdout(), "stopped")
	return nil
}

// address resolves where to listen. Only loopback needs no control token.
func (f serveFlags) address(controlToken string) (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", f.addr)
	if lookup := (*net.DNSError)(nil); errors.As(err, &lookup) {
		return nil, fmt.Errorf("--addr %s: %s: name an address of this machine", f.addr, lookup.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("--addr: want host:port, such as 127.0.0.1:8081, got %q: %w", f.addr, err)
	}
	if !address.IP.IsLoopback() && controlToken == "" {
		return nil, fmt.Errorf("--addr %s is not loopback: give the control API a token, --control-token or %s", f.addr, controlTokenVariable)
	}
	return address, nil
}

// greet prints where the mock is and what it answers.
func greet(out io.Writer, mock *mockpartner.Mock, address net.Addr) {
	base := "http://" + address.String()
	box := mock.Default()
	fmt.Fprintf(out, "mockpartner listening on %s\n", base)
	fmt.Fprintf(out, "its console, for a browser: %s%s\n", base, control.ConsolePath)
	fmt.Fprintf(out, "%d products, seed %d, clock at %s\n\n", len(box.Platform().Catalog().Products), box.Platform().Seed(), box.Clock().Now().UTC().Format(time.RFC3339))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, route := range mock.Routes() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", route.Method, base+route.Path, route.About)
	}
	table.Flush()
	fmt.Fprintf(out, "\na sandbox of your own: the same below %s%s{name}\n", base, sandbox.PathPrefix)
}

// The server's limits. Writing is given long enough for an answer that is late
// on purpose to go out.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	stopTimeout       = 10 * time.Second
	maxHeaderBytes    = 64 << 10
)

// serveUntil serves until the context ends, and then lets the requests under
// way come to their end; stopping ends those that would not by themselves.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler, stopping func()) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	server.RegisterOnShutdown(stopping)
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		stopped <- server.Shutdown(late)
	})
	err := server.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("requests were still under way after %s: %w", stopTimeout, err)
	}
	return nil
}
