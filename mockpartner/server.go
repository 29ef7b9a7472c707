package mockpartner

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/control"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// face serves all sandboxes in one protocol. A request passes the journal, the answer time, faults,
// Around, the router, authentication, the endpoint and the platform, in this order.
type face struct {
	protocol   client.Protocol // empty for the contract
	handler    http.Handler
	operation  func(*http.Request, *platform.Platform) script.Operation
	credential func(*sandbox.Sandbox) sandbox.Credential
}

// newPartner returns the face of the contract.
func newPartner(around func(http.Handler) http.Handler) *face {
	router := reply.NewRouter()
	for _, e := range endpoints() {
		router.Handle(e.path, requireKey(e)).Methods(e.methods...)
	}
	p := &face{
		handler:    router,
		operation:  func(r *http.Request, _ *platform.Platform) script.Operation { return script.OperationOf(r) },
		credential: (*sandbox.Sandbox).Credential,
	}
	if around != nil {
		p.handler = around(router)
	}
	return p
}

// newSupplier returns the face of OCTO.
func newSupplier() *face {
	return &face{
		protocol: client.OCTO,
		handler: supplier.Handler(func(r *http.Request) (*sandbox.Sandbox, journal.Entry) {
			c := callOf(r)
			return c.sandbox, c.entry
		}),
		operation:  supplier.OperationOf,
		credential: func(box *sandbox.Sandbox) sandbox.Credential { return box.Credential().Bearer() },
	}
}

type callKey struct{}

func callOf(r *http.Request) *call { return r.Context().Value(callKey{}).(*call) }

// serve records the exchange in the journal and answers the request.
func (f *face) serve(box *sandbox.Sandbox, w http.ResponseWriter, r *http.Request) {
	body := readAhead(r)
	operation := f.operation(r, box.Platform())
	entry := box.Journal().Begin(client.Exchange{
		At:         box.Platform().Now(),
		Caller:     r.RemoteAddr,
		Endpoint:   operation.Endpoint,
		Method:     r.Method,
		Target:     target(r),
		Protocol:   f.protocol,
		Authorized: f.credential(box).IsPresented(r),
		Request:    client.Message{Header: r.Header, Body: body, Truncated: len(body) > maxBody},
	})
	// The Date header follows the sandbox's own clock, even after the clock was moved.
	w.Header().Set("Date", box.Platform().Now().UTC().Format(http.TimeFormat))
	recorded := &recorder{ResponseWriter: w, entry: entry, gone: r.Context().Err, bodiless: r.Method == http.MethodHead}
	// Deferred, so that an answer that a handler aborts by a panic is recorded too.
	defer recorded.enter()
	stop := context.AfterFunc(r.Context(), entry.RecordLeft)
	defer stop()
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, &call{sandbox: box, entry: entry}))
	box.Faults().TakeTime(recorded, r, operation)
	seen := r
	firings, considered := box.Faults().Fire(seen, body, operation)
	if considered != nil {
		entry.Consider(considered)
	}
	if len(firings) > 0 {
		firings.Serve(recorded, r, f.handler)
	} else {
		f.handler.ServeHTTP(recorded, r)
	}
	recorded.returned = true
	box.Faults().RecordEnd(seen, recorded.status)
}

func target(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return r.URL.EscapedPath()
	}
	return r.URL.EscapedPath() + "?" + r.URL.RawQuery
}

// readAhead returns the request's body for the journal, up to the limit that an endpoint reads. The
// request can still be read from the start.
func readAhead(r *http.Request) []byte {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	// If the caller breaks off, the error occurs again when an endpoint reads on.
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return body
}

// requireKey answers 401 to callers without the key (AUTH-2, AUTH-3), before anything else happens
// (AUTH-5).
func requireKey(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r)
		if !c.sandbox.Credential().IsPresented(r) && !fault.Admitted(r.Context()) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="partner"`)
			reply.Message(w, http.StatusUnauthorized, "wrong or missing key: send the header Authorization: %s", c.sandbox.Credential().Form())
			return
		}
		value, err := e.handle(request{c, r, w})
		if err != nil {
			reply.Message(w, statusOf(err), "%v", err)
			return
		}
		reply.Send(w, http.StatusOK, value)
	})
}

// endpoint is one of the six operations of the contract.
type endpoint struct {
	name    partnerapi.Endpoint
	methods []string
	path    string // template for the router
	about   string
	handle  func(request) (any, error)
}

// endpoints returns the six operations, in the order in which a booking uses them.
func endpoints() []endpoint {
	return []endpoint{
		{partnerapi.Products, []string{http.MethodGet, http.MethodHead}, partnerapi.ProductsPath,
			"the catalog; ?limit=1 is the health probe, ?updated_since= what changed", products},
		{partnerapi.Availability, []string{http.MethodPost}, partnerapi.AvailabilityPath,
			"the slots of an option in a window of days", availability},
		{partnerapi.Reserve, []string{http.MethodPost}, partnerapi.ReservePath,
			"hold seats of a slot", reserve},
		{partnerapi.Confirm, []string{http.MethodPost}, partnerapi.ConfirmPath,
			"turn a hold into a booking", confirm},
		{partnerapi.Release, []string{http.MethodDelete}, "/bookings/{reservationCode}",
			"give up a hold", release},
		{partnerapi.Cancel, []string{http.MethodPost}, "/bookings/{externalBookingId}/cancel",
			"cancel a booking", cancel},
	}
}

func partnerRoutes() []control.Route {
	var routes []control.Route
	for _, e := range endpoints() {
		routes = append(routes, control.Route{Method: e.methods[0], Path: e.path, About: e.about})
	}
	return routes
}

// recorder passes an answer on and records it in the journal before the last byte is sent. A caller
// that has read the complete answer therefore finds it in the journal.
type recorder struct {
	http.ResponseWriter
	entry    journal.Entry
	gone     func() error // not nil once the caller has disconnected
	bodiless bool         // the answer to HEAD: its body is not sent

	status    int // 0 until the answer begins
	header    http.Header
	length    int // from Content-Length; -1 if the header is absent
	written   int
	body      []byte
	shared    bool // body is not a copy
	truncated bool // body is only the beginning
	returned  bool // the handler has returned, so an answer without a length is complete
	entered   bool
}

// WriteHeader records status and headers as they are sent.
func (r *recorder) WriteHeader(status int) {
	// Informational (1xx) answers precede the final one.
	if r.status == 0 && status >= http.StatusOK {
		r.status, r.header = status, r.Header().Clone()
		r.length = lengthOf(r.header)
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write keeps a copy of the body, up to journal.MaxCopiedBody.
func (r *recorder) Write(body []byte) (int, error) {
	r.begin()
	if r.shared { // more data follows a shared body, so it must be copied
		r.body, r.shared = append([]byte(nil), r.body...), false
	}
	kept := body[:min(len(body), max(journal.MaxCopiedBody-len(r.body), 0))]
	r.body = append(r.body, kept...)
	r.truncated = r.truncated || len(kept) < len(body)
	return r.pass(body)
}

// WriteShared keeps the body without copying it: the caller never changes it.
func (r *recorder) WriteShared(body []byte) (int, error) {
	if len(r.body) > 0 {
		return r.Write(body)
	}
	r.begin()
	r.body, r.shared = body, true
	return r.pass(body)
}

func (r *recorder) begin() {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
}

func (r *recorder) pass(body []byte) (int, error) {
	r.written += len(body)
	if r.length >= 0 && r.written >= r.length {
		r.enter()
	}
	n, err := r.ResponseWriter.Write(body)
	if err != nil && r.entered {
		r.entry.RecordLost()
	}
	return n, err
}

// lengthOf returns the length in the Content-Length header, or -1 without one.
func lengthOf(header http.Header) int {
	if length, err := strconv.Atoi(header.Get("Content-Length")); err == nil {
		return length
	}
	return -1
}

// RecordSent records an answer that was written to the connection directly, past the recorder.
func (r *recorder) RecordSent(status int, header http.Header, body []byte) {
	r.status, r.header, r.body, r.shared = status, header.Clone(), body, true
	r.length, r.written = lengthOf(header), len(body)
	r.enter()
}

// enter completes the journal's entry. Later bytes are not recorded.
func (r *recorder) enter() {
	if r.entered {
		return
	}
	r.entered = true
	if r.gone() != nil {
		r.entry.RecordLeft()
	}
	if r.isWhole() {
		r.entry.RecordDelivered()
	}
	if r.bodiless {
		r.body, r.shared = nil, false
	}
	r.entry.End(r.status, client.Message{Header: r.header, Body: r.body, Truncated: r.truncated}, r.shared)
}

func (r *recorder) isWhole() bool {
	if r.length < 0 {
		return r.status != 0 && r.returned
	}
	return r.status != 0 && r.written >= r.length
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
