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
	address, err := f.address(options.ControlToken)
	if err != nil {
		return err
	}
	secured, err := f.tlsConfig()
	if err != nil {
		return err
	}
	mock, err := mockpartner.New(options)
	if err != nil {
		return err
	}
	listener, err := net.ListenTCP("tcp", address)
	if errors.Is(err, syscall.EACCES) {
		return cli.FailedError(fmt.Errorf("cannot listen on %s: this user may not; --addr takes another address, with a port from 1024 on", f.addr))
	}
	if err != nil {
		return cli.FailedError(fmt.Errorf("cannot listen on %s: %w; --addr takes another address, port 0 a free one", f.addr, errors.Unwrap(err)))
	}
	scheme := "http://"
	if secured != nil {
		scheme = "https://"
	}
	greet(c.OutOrStdout(), mock, scheme+listener.Addr().String(), f.routes)
	if file.Path != "" {
		go follow(c.Context(), file, mock, c.ErrOrStderr(), func(s *script.Scenario) error {
			if err := f.stand(c, s); err != nil {
				return err
			}
			f.override(c, s, options.Catalog)
			return nil
		})
	}
	if err := serveUntil(c.Context(), listener, secured, mock, mock.Close); err != nil {
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

// address resolves where to listen. Only loopback needs no control token.
func (f serveFlags) address(controlToken string) (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", f.addr)
	if lookup := (*net.DNSError)(nil); errors.As(err, &lookup) {
		return nil, fmt.Errorf("--addr %s: %s: name an address of this machine", f.addr, lookup.Err)
	}
	if err != nil {
		return nil, fmt.Errorf("--addr: expected host:port, such as 127.0.0.1:8081, received %q: %w", f.addr, err)
	}
	if !address.IP.IsLoopback() && controlToken == "" {
		return nil, fmt.Errorf("--addr %s is not loopback: give the control API a token, --control-token or %s", f.addr, controlTokenVariable)
	}
	return address, nil
}

// greet prints the addresses of the mock's parts.
func greet(out io.Writer, mock *mockpartner.Mock, base string, routes bool) {
	platform, now := mock.Default().Platform(), mock.Default().Clock().Now().UTC().Format(time.RFC3339)
	fmt.Fprintf(out, `mockpartner listening on %s
  console      %[1]s%s
  API          %[1]s%[2]sdocs
  sandboxes    %[1]s%[3]s{name}
  sells        %[4]s, seed %[5]d, clock at %[6]s
`, base, control.ConsolePath, sandbox.PathPrefix, plural.Count(len(platform.Catalog().Products), "product"), platform.Seed(), now)
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

// serveUntil serves until the context ends, and then waits for the requests in progress. It calls
// stopping to end requests that would not end by themselves.
func serveUntil(ctx context.Context, listener net.Listener, secured *tls.Config, handler http.Handler, stopping func()) error {
	server := &http.Server{
		TLSConfig:         secured,
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
	serve := server.Serve
	if secured != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	err := serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("requests were still in progress after %s: %w", stopTimeout, err)
	}
	return nil
}
