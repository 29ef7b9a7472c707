package main

import (
	"context"
	"crypto/tls"
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
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
)

func newServe() *cobra.Command {
	var f serveFlags
	serve := &cobra.Command{
		Use:   "serve",
		Short: "Run a mock partner until it is interrupted",
		Long: `serve starts a mock partner and prints its address; --routes also prints every route.
On SIGINT and SIGTERM it finishes requests in progress and stops.

The same seed, clock, catalog and requests give byte-identical answers. Add --now
and --frozen for a repeatable run.

A scenario sets the catalog, the clock and how the partner misbehaves;
flags take precedence over it. The file is read again when it changes. A scenario
may come from someone else, so it can read only files of its own folder, use only
variables that begin with ` + script.SecretVariable + `, and send webhooks only to this
machine. --catalog and --webhook-url allow others.

A defect breaks the contract in one way. A variant is unusual but keeps the contract.
mockpartner defects and mockpartner variants list them.

With --octo-addr the same platform is also an OCTO supplier, at an address of its own: with
the same catalog, holds, seats, clock, faults and defects. OCTO is the open standard for
tours and activities (octo.travel). Its callers send the key as a bearer token.

On addresses other than loopback, the control API requires a token. --cors lets a
front end in a browser call the partner endpoints, but never the control API.`,
		Example: `  mockpartner serve --auth-key a-test-key
  mockpartner serve --auth-key a-test-key --auth-type api_key --addr 127.0.0.1:0
  mockpartner serve --auth-key a-test-key --products 1000 --options 3 --seed 7
  mockpartner serve --auth-key a-test-key --catalog my-catalog.yaml --hold-for 15m
  mockpartner serve --auth-key a-test-key --scenario my-scenario.yaml
  mockpartner serve --auth-key a-test-key --defect release-gives-nothing-back
  mockpartner serve --auth-key a-test-key --variant holds-of-15-minutes,awkward-codes
  mockpartner serve --auth-key a-test-key --cors http://localhost:3000
  mockpartner serve --auth-key a-test-key --octo-addr 127.0.0.1:8084
  mockpartner serve --auth-key a-test-key --now 2026-07-01T09:00:00Z --frozen
  MOCKPARTNER_WEBHOOK_SECRET=… mockpartner serve --auth-key a-test-key --webhook-url http://127.0.0.1:8080/api/v1/partner-integrations/…
  MOCKPARTNER_AUTH_KEY=… MOCKPARTNER_CONTROL_TOKEN=… mockpartner serve --addr 0.0.0.0:8081`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.serve(c) },
	}
	f.register(serve.Flags())
	cli.Fill(serve, cli.Settings{Flags: serve.Flags(), Variable: func(flag string) string { return variables[flag] }})
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
	address, err := resolve("--addr", f.addr, options.ControlToken)
	if err != nil {
		return err
	}
	var octoAddress *net.TCPAddr
	if f.octoAddr != "" {
		if octoAddress, err = resolve("--octo-addr", f.octoAddr, options.ControlToken); err != nil {
			return err
		}
	}
	secured, err := f.tlsConfig()
	if err != nil {
		return err
	}
	mock, err := mockpartner.New(options)
	if err != nil {
		return err
	}
	listener, err := listen("--addr", f.addr, address)
	if err != nil {
		return err
	}
	scheme := "http://"
	if secured != nil {
		scheme = "https://"
	}
	servers := []server{{listener, mock}}
	octoBase := ""
	if octoAddress != nil {
		octoListener, err := listen("--octo-addr", f.octoAddr, octoAddress)
		if err != nil {
			listener.Close()
			return err
		}
		servers, octoBase = append(servers, server{octoListener, mock.OCTO()}), scheme+octoListener.Addr().String()
	}
	greet(c.OutOrStdout(), mock, scheme+listener.Addr().String(), octoBase, f.routes)
	if file.Path != "" {
		go follow(c.Context(), file, mock, c.ErrOrStderr(), func(s *script.Scenario) error {
			if err := f.stand(c, s); err != nil {
				return err
			}
			f.override(c, s, options.Catalog)
			return nil
		})
	}
	if err := serveUntil(c.Context(), servers, secured, mock.Close); err != nil {
		return cli.FailedError(err)
	}
	fmt.Fprintln(c.OutOrStdout(), "stopped")
	return nil
}

// tlsConfig returns how calls are taken by HTTPS, or nil.
func (f serveFlags) tlsConfig() (*tls.Config, error) {
	certificate, err := connection.Files{CertFlag: "--tls-cert", Cert: f.tlsCert, KeyFlag: "--tls-key", Key: f.tlsKey}.Load()
	switch {
	case err != nil:
		return nil, err
	case certificate == nil && f.tlsClientCA != "":
		return nil, errors.New("--tls-client-ca requires --tls-cert and --tls-key")
	case certificate == nil:
		return nil, nil
	}
	secured := &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
	if f.tlsClientCA != "" {
		secured.ClientAuth = tls.RequireAndVerifyClientCert
		secured.ClientCAs, err = connection.LoadAuthorities("--tls-client-ca", f.tlsClientCA)
	}
	return secured, err
}

// resolve returns the address that a flag gives to listen on. Only loopback needs no control token.
func resolve(flag, given, controlToken string) (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", given)
	if lookup := (*net.DNSError)(nil); errors.As(err, &lookup) {
		return nil, fmt.Errorf("%s %s: %s: name an address of this machine", flag, given, lookup.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: expected host:port, such as 127.0.0.1:8081, received %q: %w", flag, given, err)
	}
	if !address.IP.IsLoopback() && controlToken == "" {
		return nil, fmt.Errorf("%s %s is not loopback: give the control API a token, --control-token or %s", flag, given, controlTokenVariable)
	}
	return address, nil
}

func listen(flag, given string, address *net.TCPAddr) (net.Listener, error) {
	listener, err := net.ListenTCP("tcp", address)
	if errors.Is(err, syscall.EACCES) {
		return nil, cli.FailedError(fmt.Errorf("cannot listen on %s: this user may not; %s takes another address, with a port from 1024 on", given, flag))
	}
	if err != nil {
		return nil, cli.FailedError(fmt.Errorf("cannot listen on %s: %w; %s takes another address, port 0 a free one", given, errors.Unwrap(err), flag))
	}
	return listener, nil
}

// greet prints the addresses of the mock's parts. octoBase is empty if the mock is no OCTO supplier.
func greet(out io.Writer, mock *mockpartner.Mock, base, octoBase string, routes bool) {
	octo := ""
	if octoBase != "" {
		octo = "  OCTO         " + octoBase + "\n"
	}
	platform, now := mock.Default().Platform(), mock.Default().Clock().Now().UTC().Format(time.RFC3339)
	fmt.Fprintf(out, `mockpartner listening on %s
  console      %[1]s%s
  API          %[1]s%[2]sdocs
  sandboxes    %[1]s%[3]s{name}
%[4]s  sells        %[5]s, seed %[6]d, clock at %[7]s
`, base, control.ConsolePath, sandbox.PathPrefix, octo, plural.Count(len(platform.Catalog().Products), "product"), platform.Seed(), now)
	if !routes {
		return
	}
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, route := range mock.Routes() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", route.Method, base+route.Path, route.About)
	}
	table.Flush()
}

// These are the server's limits. The write timeout leaves time for answers that are delayed on
// purpose.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	stopTimeout       = 10 * time.Second
	maxHeaderBytes    = 64 << 10
)

// server is a handler with the address at which it is served.
type server struct {
	listener net.Listener
	handler  http.Handler
}

// serveUntil serves all until the context ends or one fails, and then waits for the requests in
// progress. It calls stopping to end requests that would not end by themselves.
func serveUntil(ctx context.Context, servers []server, secured *tls.Config, stopping func()) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(servers))
	for _, s := range servers {
		go func() {
			defer stop()
			ended <- s.serveUntil(ctx, secured, stopping)
		}()
	}
	var failed []error
	for range servers {
		failed = append(failed, <-ended)
	}
	return errors.Join(failed...)
}

func (s server) serveUntil(ctx context.Context, secured *tls.Config, stopping func()) error {
	server := &http.Server{
		TLSConfig:         secured,
		Handler:           s.handler,
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
	serve := server.Serve
	if secured != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	err := serve(s.listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("requests were still in progress after %s: %w", stopTimeout, err)
	}
	return nil
}
