package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/conformance/internal/traffic/proxy"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/safetext"
)

const (
	// endWithin is how long calls in progress may continue after the proxy is asked to stop.
	endWithin = 10 * time.Second
	// judgeWithin is how long waiting calls may be judged after that.
	judgeWithin = 5 * time.Second
	// noAdmin disables the status page.
	noAdmin = "off"
)

type proxyFlags struct {
	upstream, listen, admin string
	tlsCert, tlsKey, caFile string
	clientCert, clientKey   string
	record, reportDir       string
	tickets                 bool
	mostCalls, mostMemory   int64
	asJSON, verbose         bool
}

func newProxy() *cobra.Command {
	var flags proxyFlags
	command := &cobra.Command{
		Use:   "proxy --upstream URL",
		Short: "Forward calls to a partner and judge them as they happen",
		Long: `Forwards calls from any client to a partner, and the answers back, without changing
them. It judges the calls of the contract by every rule that needs no call of its own,
as 'conformance judge' does. Give the client the proxy's address in place of the
partner's. The only header that changes is Host, to the partner's.

Judging never slows the traffic. If the judge falls behind, calls pass without being
judged. Their number is on the status page, in the metrics and in the report.

The status page at --admin shows findings, counts and answer times. /metrics has
them for Prometheus. --record also writes the calls to a file that 'conformance
judge' reads. On SIGTERM or Ctrl-C the proxy finishes the calls in progress and
writes the reports.

Reports, page, metrics and recording show no key and no customer's data: names, email
addresses and phone numbers are removed. A recording keeps ids and codes, so treat
it like the reports.

Exit codes:
  0  partial: no MUST rule failed in what was judged
  1  nonconformant: a MUST rule failed
  2  the command line was wrong, or the proxy failed
  3  no call of the contract passed`,
		Example: `  conformance proxy --upstream https://partner.example/api
  conformance proxy --upstream https://partner.example/api --listen 127.0.0.1:8090 --record traffic.jsonl.gz
  conformance proxy --upstream https://partner.example --listen :8443 --tls-cert proxy.pem --tls-key proxy.key
  conformance judge traffic.jsonl.gz`,
		Args: cli.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return flags.run(command) },
	}
	f := command.Flags()
	f.StringVar(&flags.upstream, "upstream", "", "the partner's address, such as https://partner.example/api")
	f.StringVar(&flags.listen, "listen", "127.0.0.1:8090", "the `address` to take calls at")
	f.StringVar(&flags.admin, "admin", "127.0.0.1:8091", "the `address` of the status page and /metrics; off serves none")
	f.StringVar(&flags.tlsCert, "tls-cert", "", "take calls by HTTPS, with the certificate in this PEM `file`")
	f.StringVar(&flags.tlsKey, "tls-key", "", "the PEM `file` with the key of --tls-cert")
	f.StringVar(&flags.caFile, "ca-file", "", "a PEM `file` of certificate authorities to trust in addition to the system's, for the partner")
	f.StringVar(&flags.clientCert, "client-cert", "", "a PEM `file` with the client certificate to send to the partner, if it requires one")
	f.StringVar(&flags.clientKey, "client-key", "", "the PEM `file` with the private key of --client-cert")
	f.StringVar(&flags.record, "record", "", "append the judged calls to this `file`; a name ending in .gz is compressed")
	f.BoolVar(&flags.tickets, "handles-ticket-delivery", false, "the partner is registered as delivering its own tickets: bookings must have them")
	f.StringVar(&flags.reportDir, "report-dir", settings.ReportFolder, "the `folder` for the reports; it is created if missing")
	f.Int64Var(&flags.mostCalls, "max-waiting", 2000, "at most this many calls are in progress or wait to be judged; others are not judged")
	f.Int64Var(&flags.mostMemory, "max-memory", 128, "at most this many `MiB` for copies of these calls; calls without room are not judged")
	f.BoolVar(&flags.asJSON, "json", false, "print the report as JSON when the proxy stops, and nothing else")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "show every rule and the answer times when the proxy stops")
	registerCompletions(command, map[string]cobra.CompletionFunc{
		"report-dir": folders, "ca-file": files("pem", "crt"), "tls-cert": files("pem", "crt"), "tls-key": files("pem", "key"), "client-cert": files("pem", "crt"), "client-key": files("pem", "key"), "record": files("jsonl", "gz"),
	})
	return command
}

// run runs the proxy until the command's context is done.
func (f *proxyFlags) run(command *cobra.Command) (err error) {
	upstream, err := f.check()
	if err != nil {
		return err
	}
	roots, err := settings.ReadRoots(f.caFile)
	if err != nil {
		return err
	}
	certificate, err := connection.Files{CertFlag: "--tls-cert", Cert: f.tlsCert, KeyFlag: "--tls-key", Key: f.tlsKey}.Load()
	if err != nil {
		return err
	}
	identity, err := connection.Files{CertFlag: "--client-cert", Cert: f.clientCert, KeyFlag: "--client-key", Key: f.clientKey}.Load()
	if err != nil {
		return err
	}
	if err := settings.PrepareFolder(f.reportDir, settings.ReportFolder); err != nil {
		return err
	}
	listener, err := listen("--listen", f.listen)
	if err != nil {
		return err
	}
	defer listener.Close() // already closed if it was served
	stderr := command.ErrOrStderr()
	options := live.Options{
		Upstream: upstream.String(), HandlesTicketDelivery: f.tickets, Version: cli.Version(), MostCalls: f.mostCalls, MostBytes: f.mostMemory << 20,
	}
	if f.record != "" {
		options.Recorder, err = live.Record(f.record, func(err error) { fmt.Fprintf(stderr, "conformance: --record: %v\n", err) })
		if err != nil {
			return fmt.Errorf("--record %s cannot be written (%w): name another file", f.record, err)
		}
		defer func() {
			if failed := options.Recorder.Close(); failed != nil {
				err = fmt.Errorf("--record %s: %w", f.record, fileerror.Reason(failed))
			}
		}()
	}
	watcher := live.New(options)
	admin, err := f.serveAdmin(watcher)
	if err != nil {
		return err
	}
	defer admin.Close()
	out := command.OutOrStdout()
	if f.asJSON {
		out = io.Discard
	}
	scheme := "http"
	if certificate != nil {
		scheme = "https"
	}
	fmt.Fprintf(out, "Passing calls from %s://%s on to %s\n", scheme, listener.Addr(), safetext.Line(upstream.String()))
	if admin.address != "" {
		fmt.Fprintf(out, "Status at http://%s/, metrics at http://%[1]s/metrics\n", admin.address)
	}
	passing := proxy.New(proxy.Config{Upstream: upstream, RootCAs: roots, Certificate: identity, Watcher: watcher, ErrorLog: log.New(stderr, "conformance: ", 0)})
	go watcher.Run(newFindings(out))
	served := make(chan error, 1)
	go func() { served <- passing.Serve(listener, certificate) }()
	select {
	case err = <-served:
		err = fmt.Errorf("the proxy cannot accept calls: %w", err)
	case <-command.Context().Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(command.Context()), endWithin)
	passing.Shutdown(ending)
	cancel()
	judging, cancel := context.WithTimeout(context.WithoutCancel(command.Context()), judgeWithin)
	findings := watcher.Stop(judging)
	cancel()
	if !findings.Complete {
		fmt.Fprintf(stderr, "conformance: the judge did not finish within %s: the report is of %s\n", judgeWithin, findings.At.UTC().Format(time.RFC3339))
	}
	if shown := showJudged(command, &suite.Outcome{Result: findings.Result, Redactor: findings.Redactor}, f.reportDir, f.asJSON, f.verbose); err == nil {
		return shown
	}
	return err
}

// newFindings returns a function that prints what fails for the first time.
func newFindings(out io.Writer) func(*live.Findings) {
	known, dropped := map[string]bool{}, false
	return func(f *live.Findings) {
		for _, r := range f.Result.Rules {
			if (r.Outcome == report.Failed || r.Outcome == report.Warned) && !known[r.ID] {
				known[r.ID] = true
				fmt.Fprintf(out, "%s %s %s (%s, %s): %s\n", f.At.UTC().Format(time.RFC3339), strings.ToUpper(string(r.Outcome)), r.ID, r.Level, r.Clause, safetext.Line(r.Message))
			}
		}
		if f.Dropped > 0 && !dropped {
			dropped = true
			fmt.Fprintf(out, "%s calls pass without being judged: there is no room for them, or they take too long; the status page and the report count them\n", f.At.UTC().Format(time.RFC3339))
		}
	}
}

func (f *proxyFlags) check() (*url.URL, error) {
	if f.upstream == "" {
		return nil, errors.New("--upstream is missing: give the partner's address, such as --upstream https://partner.example/api")
	}
	upstream, err := settings.ParseAddress(f.upstream)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--upstream %w, such as https://partner.example/api", err)
	case upstream.RawQuery != "" || upstream.ForceQuery || strings.Contains(f.upstream, "#"):
		return nil, errors.New("--upstream has a query or a fragment: leave out what begins with ? or #")
	case f.mostCalls < 1:
		return nil, fmt.Errorf("--max-waiting %d: expected 1 or more", f.mostCalls)
	case f.mostMemory < 1 || f.mostMemory > 1<<20:
		return nil, fmt.Errorf("--max-memory %d: expected 1 to %d MiB", f.mostMemory, 1<<20)
	}
	return upstream, nil
}

func listen(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		reason := err
		if failed, is := errors.AsType[*net.OpError](err); is {
			reason = failed.Err
		}
		return nil, fmt.Errorf("%s %s cannot be used (%w): give an address such as 127.0.0.1:8090", flag, address, reason)
	}
	return listener, nil
}

// admin is the server of the status page. Without an address it serves nothing.
type admin struct {
	http.Server
	address string
}

func (f *proxyFlags) serveAdmin(watcher *live.Watcher) (*admin, error) {
	if f.admin == noAdmin {
		return &admin{}, nil
	}
	listener, err := listen("--admin", f.admin)
	if err != nil {
		return nil, err
	}
	served := &admin{address: listener.Addr().String(), Server: http.Server{
		Handler: watcher.Admin(), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0),
	}}
	go func() { _ = served.Serve(listener) }() // ends with the command
	return served, nil
}
