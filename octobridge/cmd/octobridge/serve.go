package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/octobridge/internal/booking"
	"partnerkit.dev/octobridge/internal/server"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/schemas/partnerapi"
)

func newServe() *cobra.Command {
	var s serveSettings
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the bridge until it is interrupted",
		Long: `serve starts the bridge and prints its address, how much of the supplier's catalog can be
sold, and what the contract cannot say. On SIGINT and SIGTERM it finishes requests in
progress and stops.

What OCTO does not keep is in the store: codes, booking ids and the answers to confirm. A
bridge that was killed finds there which calls were in progress, and settles them with the
supplier. A SQLite file is for one bridge. Several bridges for one supplier share a PostgreSQL
database.

/healthz says whether the bridge is up, and /metrics has metrics for Prometheus. They need no
key.`,
		Example: `  export OCTOBRIDGE_OCTO_KEY=the-key-of-the-supplier OCTOBRIDGE_AUTH_KEY=a-key-for-the-marketplace
  octobridge serve --octo-url https://supplier.example/octo
  octobridge serve --octo-url https://supplier.example/octo --units units.yaml --hold 15m
  octobridge serve --octo-url https://supplier.example/octo --store postgres://bridge@db.example/bridge --addr 0.0.0.0:8085
  octobridge serve --octo-url https://supplier.example/octo --octo-key-env SUPPLIER_KEY --auth-key-env MARKETPLACE_KEY`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.serve(c.Context(), c.OutOrStdout(), c.ErrOrStderr()); err != nil {
				return cli.FailedError(err)
			}
			return nil
		},
	}
	s.register(command.Flags())
	settle(command, s.mistakes)
	return command
}

func (s *serveSettings) serve(ctx context.Context, stdout, stderr io.Writer) error {
	certificate, err := connection.Files{CertFlag: "--tls-cert", Cert: s.tlsCert, KeyFlag: "--tls-key", Key: s.tlsKey}.Load()
	if err != nil {
		return cli.Misuse(err)
	}
	secret := redact.New(s.key, s.authKey)
	log := slog.New(slog.NewTextHandler(redacted{stderr, secret}, nil))
	kept, err := store.Open(ctx, s.store, time.Now)
	if err != nil {
		return fmt.Errorf("--store: %s", secret.Redact(err.Error()))
	}
	defer kept.Close()
	metrics := server.NewMetrics()
	metrics.WatchStore(kept)
	client := s.client(metrics.CountCall)
	bookings := booking.New(booking.Config{Supplier: client, Store: kept, HoldFor: s.hold, Log: log, Now: time.Now})
	handler := server.New(server.Config{
		AuthType: partnerapi.AuthType(s.authType), AuthKey: s.authKey,
		Supplier: client, Bookings: bookings, Store: kept, Units: s.mapped, Metrics: metrics, Log: log, Now: time.Now,
	})
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; --addr takes another address, port 0 a free one", s.addr, errors.Unwrap(err))
	}
	scheme := "http://"
	if certificate != nil {
		scheme = "https://"
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12})
	}
	fmt.Fprintf(stdout, "octobridge listening on %s%s\n", scheme, listener.Addr())

	working, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { bookings.Run(working) })
	background.Go(func() { s.introduce(working, stdout, log, handler) })
	err = serveUntil(ctx, listener, handler, log)
	stop()
	background.Wait()
	bookings.Wait()
	if err == nil {
		fmt.Fprintln(stdout, "stopped")
	}
	return err
}

// introduce prints what the supplier offers. A supplier that does not answer is no reason not to start.
func (s *serveSettings) introduce(ctx context.Context, stdout io.Writer, log *slog.Logger, handler *server.Server) {
	offered, err := handler.Offer(ctx)
	if err != nil {
		if ctx.Err() == nil {
			log.Warn("the supplier's catalog cannot be read; it is tried again with the next request", "error", err)
		}
		return
	}
	report(stdout, offered)
}

// These are the server's limits. The write timeout is longer than every endpoint's.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	stopTimeout       = 30 * time.Second
	maxHeaderBytes    = 64 << 10
)

// serveUntil serves until the context ends, and then waits for the requests in progress.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	service := &http.Server{
		Handler: handler, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		stopped <- service.Shutdown(late)
	})
	err := service.Serve(listener)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("requests were still in progress after %s: %w", stopTimeout, err)
	}
	return nil
}

// redacted removes the keys from what is logged.
type redacted struct {
	to     io.Writer
	secret *redact.Redactor
}

func (r redacted) Write(line []byte) (int, error) {
	if _, err := io.WriteString(r.to, r.secret.Redact(string(line))); err != nil {
		return 0, err
	}
	return len(line), nil
}
