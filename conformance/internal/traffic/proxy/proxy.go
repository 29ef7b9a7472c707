// Package proxy passes HTTP calls to a partner, and its answers back, unchanged: the method, the
// target, the values of the headers and the bodies stay the same, byte for byte, and nothing is
// added. Only what HTTP sets for each connection may differ: the case of header names, chunks, and
// connection headers. Host names the partner.
//
// Each client connection has its own connections to the partner. So keep-alive and broken
// connections look to the client as if it called the partner directly.
package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/internal/connection"
)

// Config sets where calls are passed to.
type Config struct {
	Upstream *url.URL       // the partner's address; the path of every call is appended to its path
	RootCAs  *x509.CertPool // nil: the system's certificates
	// Certificate is sent to a partner that asks for one; nil: none.
	Certificate *tls.Certificate
	Watcher     *live.Watcher // receives every call
	ErrorLog    *log.Logger   // for failing client connections; nil: the log package's default
}

const (
	// headersWithin is how long a client may take to send the header of a call.
	headersWithin = time.Minute
	// idleFor is how long a connection is kept without a call. Clients usually close theirs
	// earlier.
	idleFor = 10 * time.Minute
	// mostIdle is the maximum number of unused connections that one HTTP/2 connection of a client
	// keeps.
	mostIdle = 64
	// piece is the size of the buffers through which bodies pass, in bytes.
	piece = 32 << 10
)

// Proxy passes calls to the partner. Use New.
type Proxy struct {
	config  Config
	base    string // path of the upstream, escaped, without a trailing slash
	reverse httputil.ReverseProxy
	server  http.Server
	tls     *tls.Config
	links   sync.Map // *http.Transport by the client's net.Conn
}

// New returns a proxy that does not serve yet.
func New(config Config) *Proxy {
	p := &Proxy{
		config: config, base: strings.TrimSuffix(config.Upstream.EscapedPath(), "/"),
		tls: &tls.Config{RootCAs: config.RootCAs, GetClientCertificate: connection.SendCertificate(config.Certificate), ClientSessionCache: tls.NewLRUClientSessionCache(0)},
	}
	p.reverse = httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: roundTrip(p.send), ModifyResponse: p.recordAnswer, ErrorHandler: p.recordFailure,
		FlushInterval: -1, // every piece when it arrives
		BufferPool:    &buffers{sync.Pool{New: func() any { return new([piece]byte) }}},
		ErrorLog:      log.New(io.Discard, "", 0), // failures are passed on and counted
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	p.server = http.Server{
		Handler: p, Protocols: protocols, ReadHeaderTimeout: headersWithin, IdleTimeout: idleFor, ErrorLog: config.ErrorLog,
		ConnContext: p.newTransport, ConnState: p.closeTransport, DisableGeneralOptionsHandler: true,
	}
	return p
}

// Serve passes on the calls of a listener until Shutdown. With a certificate it uses TLS.
func (p *Proxy) Serve(listener net.Listener, certificate *tls.Certificate) error {
	var err error
	if certificate != nil {
		p.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}}
		err = p.server.ServeTLS(listener, "", "")
	} else {
		err = p.server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown accepts no further calls and waits for the current ones until ctx is done. It then
// closes their connections.
func (p *Proxy) Shutdown(ctx context.Context) {
	if p.server.Shutdown(ctx) != nil {
		_ = p.server.Close() // its errors are about connections that are closing
	}
}

// passage is one call through the proxy.
type passage struct {
	call    *live.Call // nil: not a contract call
	in      *http.Request
	reached atomic.Bool // there was a connection to the partner
}

type passageKey struct{}

func passageOf(r *http.Request) *passage { return r.Context().Value(passageKey{}).(*passage) }

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		w.WriteHeader(http.StatusMethodNotAllowed) // a proxy for one partner opens no tunnels
		return
	}
	call := p.config.Watcher.Begin(r.Method, p.target(r), r.Header)
	defer func() { call.End(r.Context().Err() != nil) }()
	// Otherwise the server reads the rest of the body when an answer starts, while it is passed on.
	_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always is full duplex
	passed := &passage{call: call, in: r}
	p.reverse.ServeHTTP(&verbatimWriter{ResponseWriter: w, head: r.Method == http.MethodHead}, r.WithContext(context.WithValue(r.Context(), passageKey{}, passed)))
}

// target returns the exact address that a call is passed to.
func (p *Proxy) target(r *http.Request) string {
	return p.config.Upstream.Scheme + "://" + p.config.Upstream.Host + p.requestTarget(r)
}

// requestTarget returns the path and query of a call, as its client wrote them, after the path of
// the upstream.
func (p *Proxy) requestTarget(r *http.Request) string {
	asked := r.RequestURI
	if !strings.HasPrefix(asked, "/") {
		if asked == "*" {
			return "*"
		}
		_, rest, _ := strings.Cut(asked, "://") // as clients of a forward proxy send it
		path := strings.IndexAny(rest, "/?")
		if asked = "/"; path >= 0 {
			if asked = rest[path:]; asked[0] == '?' {
				asked = "/" + asked
			}
		}
	}
	return p.base + asked
}

// rewrite addresses the call to the upstream, and undoes the other changes of httputil.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	passed, target := passageOf(r.In), p.requestTarget(r.In)
	r.Out.Host = ""
	r.Out.URL = &url.URL{Scheme: p.config.Upstream.Scheme, Host: p.config.Upstream.Host, Opaque: target}
	if strings.HasPrefix(target, "//") { // Opaque would take it for a host
		r.Out.URL.Opaque = ""
		path, query, asks := strings.Cut(target, "?")
		r.Out.URL.Path, r.Out.URL.RawPath, r.Out.URL.RawQuery, r.Out.URL.ForceQuery = r.In.URL.Path, path, query, asks
		if p.base != "" {
			r.Out.URL.Path, _ = url.PathUnescape(path)
		}
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, has := r.In.Header[name]; has {
			r.Out.Header[name] = values
		}
	}
	if len(r.In.TransferEncoding) > 0 || r.In.Trailer != nil {
		// The server adds trailers to its own request after it has read the body.
		if passed.in.Trailer == nil {
			passed.in.Trailer = http.Header{}
		}
		r.Out.Trailer = passed.in.Trailer
	}
	if r.Out.Body != nil {
		r.Out.Body = &ending{ReadCloser: passed.call.Sends(r.Out.Body), left: r.Out.ContentLength}
	}
	r.Out = r.Out.WithContext(httptrace.WithClientTrace(r.Out.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { passed.reached.Store(true) },
	}))
}

// ending is a body that is not read again after its end. net/http reads once more after it has sent
// everything, and the server may have closed the body by then.
type ending struct {
	io.ReadCloser
	left int64 // bytes; below 0: unknown
	over bool
}

func (b *ending) Read(p []byte) (int, error) {
	if b.over {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	if b.left >= 0 {
		b.left -= int64(n)
	}
	if b.left == 0 && err == nil {
		err = io.EOF
	}
	b.over = err == io.EOF
	return n, err
}

func (p *Proxy) recordAnswer(answer *http.Response) error {
	call := passageOf(answer.Request).call
	if answer.StatusCode == http.StatusSwitchingProtocols { // what follows is not HTTP
		return nil
	}
	answer.Body = call.Receives(answer.StatusCode, answer.Header, answer.ContentLength, answer.Body)
	return nil
}

// recordFailure passes on that there is no answer. If the partner was not reached, the client receives
// 502. Any other failure breaks the client's connection, as it broke the partner's.
func (p *Proxy) recordFailure(w http.ResponseWriter, r *http.Request, err error) {
	passed := passageOf(r)
	passed.call.Fails(reason(err, passed.reached.Load()))
	if passed.reached.Load() || r.Context().Err() != nil {
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, "conformance proxy: the partner cannot be reached\n")
}

// reason returns why there is no answer, without content of the call.
func reason(err error, reached bool) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, context.Canceled):
		return "the caller went away"
	case reached:
		return "the connection broke before an answer"
	case errors.As(err, &unknown):
		return "the partner's name has no address"
	default:
		return "no connection to the partner"
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// send calls the partner over the connections that belong to the client's connection.
func (p *Proxy) send(r *http.Request) (*http.Response, error) {
	return r.Context().Value(linkKey{}).(*http.Transport).RoundTrip(r)
}

type linkKey struct{}

// newTransport gives a client's connection its own connections to the partner.
func (p *Proxy) newTransport(ctx context.Context, client net.Conn) context.Context {
	link := &http.Transport{
		DialContext:     (&net.Dialer{}).DialContext,
		TLSClientConfig: p.tls.Clone(), ForceAttemptHTTP2: true,
		DisableCompression: true, ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost: mostIdle, IdleConnTimeout: idleFor, ReadBufferSize: piece, WriteBufferSize: piece,
	}
	p.links.Store(client, link)
	return context.WithValue(ctx, linkKey{}, link)
}

func (p *Proxy) closeTransport(client net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		if link, had := p.links.LoadAndDelete(client); had {
			link.(*http.Transport).CloseIdleConnections()
		}
	}
}

// buffers reuses buffers for copying bodies.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte       { return b.pool.Get().(*[piece]byte)[:] }
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[piece]byte)(buffer)) }
