package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/certification"
	"partnerkit.dev/marketplace/internal/marketplace"
)

type runStore interface {
	Run(ctx context.Context, integration, id uuid.UUID) (certification.Run, error)
	List(ctx context.Context, integration uuid.UUID, asked marketplace.PageRequest) (marketplace.Page[certification.Run], error)
	Report(ctx context.Context, run uuid.UUID, name string) ([]byte, error)
	Parts(ctx context.Context, run uuid.UUID, kind certification.Kind, after int) ([]certification.Part, error)
	Certificate(ctx context.Context, integration uuid.UUID) (string, error)
	Certifications(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]certification.Certification, error)
}

// Runs is the API's access to conformance runs.
type Runs struct {
	Store    runStore
	Service  *certification.Service
	Keys     []byte          // the JSON Web Key Set of certificates
	Shown    bool            // integrations include their certification
	Stopping <-chan struct{} // closed when progress streams must end; nil: never
	Stream   time.Duration   // the duration of a stream; 0: streamTime
}

// The limits of a progress stream.
const (
	// streamTime is shorter than the server's limit for an answer. Browsers reconnect.
	streamTime  = 100 * time.Second
	streamPause = 300 * time.Millisecond
	mostStreams = 100
)

// runHandler serves partners' requests about conformance runs of their integrations, and operators'
// about all runs.
type runHandler struct {
	Runs
	integrations integrationHandler
	streams      chan struct{}
}

func newRunHandler(r Runs, integrations integrationHandler) runHandler {
	if r.Stream == 0 {
		r.Stream = streamTime
	}
	return runHandler{r, integrations, make(chan struct{}, mostStreams)}
}

// certifications returns the certification of integrations, or nothing if it is not shown.
func (r Runs) certifications(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]certification.Certification, error) {
	if !r.Shown {
		return nil, nil
	}
	return r.Store.Certifications(ctx, integrations)
}

type runRequest struct {
	Scope certification.Scope `json:"scope" validate:"omitempty,oneof=full read_only"` // "": full
	Rules []string            `json:"rules" validate:"max=300,dive,ruleid"`            // empty: all
}

// start queues a run.
func (h runHandler) start(r *http.Request, i marketplace.Integration) (any, error) {
	body := runRequest{}
	if err := readOptionalBody(r, &body); err != nil {
		return nil, err
	}
	if body.Scope == "" {
		body.Scope = certification.Full
	}
	id, err := h.Service.Start(r.Context(), i.ID, body.Scope, body.Rules, caller(r.Context()).Role == marketplace.Operator)
	return map[string]uuid.UUID{"run_id": id}, err
}

// runView is a run as lists contain it.
type runView struct {
	ID              uuid.UUID                `json:"run_id"`
	Integration     uuid.UUID                `json:"integration_id"`
	Scope           certification.Scope      `json:"scope"`
	Rules           marketplace.List[string] `json:"rules"` // empty: all
	State           certification.State      `json:"state"`
	Verdict         *string                  `json:"verdict"`
	Reason          *string                  `json:"reason"`
	SuiteVersion    *string                  `json:"suite_version"`
	ContractVersion *string                  `json:"contract_version"`
	Counts          map[string]int           `json:"counts"`
	CreatedAt       time.Time                `json:"created_at"`
	StartedAt       *time.Time               `json:"started_at"`
	FinishedAt      *time.Time               `json:"finished_at"`
}

type runDetailView struct {
	runView
	Findings  marketplace.List[certification.Finding]  `json:"findings"`
	NotUndone marketplace.List[certification.Leftover] `json:"not_undone"`
}

func viewRun(r certification.Run) runView {
	return runView{
		ID: r.ID, Integration: r.Integration, Scope: r.Scope, Rules: r.Rules, State: r.State, Verdict: orNull(r.Verdict), Reason: orNull(r.Reason),
		SuiteVersion: orNull(r.SuiteVersion), ContractVersion: orNull(r.ContractVersion), Counts: r.Counts,
		CreatedAt: r.CreatedAt, StartedAt: timeOrNull(r.StartedAt), FinishedAt: timeOrNull(r.FinishedAt),
	}
}

// list lists an integration's runs, newest first.
func (h runHandler) list(r *http.Request, i marketplace.Integration) (any, error) {
	asked, err := readQuery(r).stored(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.Store.List(r.Context(), i.ID, asked.request())
	return pageOf(asked, found, viewRun), err
}

func (h runHandler) show(r *http.Request) (any, error) {
	run, err := h.named(r)
	return runDetailView{viewRun(run), run.Findings, run.NotUndone}, err
}

// named returns the run in the path, of an integration that the caller may see.
func (h runHandler) named(r *http.Request) (run certification.Run, err error) {
	_, err = h.integrations.found(func(r *http.Request, i marketplace.Integration) (any, error) {
		id, err := pathID(r, "run")
		if err == nil {
			run, err = h.Store.Run(r.Context(), i.ID, id)
		}
		return nil, err
	})(r)
	return run, err
}

// report answers with the run's report that the path ends with. Part of it is the partner's text,
// so browsers must not give it access to the marketplace's pages.
func (h runHandler) report(contentType string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := h.named(r)
		if err != nil {
			return err
		}
		body, err := h.Store.Report(r.Context(), run.ID, path.Base(r.URL.Path))
		if err != nil {
			return err
		}
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Cache-Control", "private, no-store")
		header.Set("Content-Security-Policy", "sandbox allow-scripts allow-popups; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:")
		header.Set("Vary", "Accept-Encoding")
		var text io.Reader = bytes.NewReader(body)
		if takesGzip(r.Header.Values("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
		} else if text, err = gzip.NewReader(text); err != nil {
			return err
		}
		_, _ = io.Copy(w, text) // an error means that the caller has gone
		return nil
	}
}

// certificate answers with an integration's certificate, as a compact JWS.
func (h runHandler) certificate(w http.ResponseWriter, r *http.Request) error {
	text, err := h.integrations.found(func(r *http.Request, i marketplace.Integration) (any, error) {
		return h.Store.Certificate(r.Context(), i.ID)
	})(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/jose")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text.(string)) // an error means that the caller has gone
	return nil
}

// keys answers with the public keys that verify certificates.
func (h runHandler) keys(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(h.Keys) // an error means that the caller has gone
	return nil
}

// progress streams an event for each judged rule, from the start of the run or after the caller's
// last event, and an event when the run has ended.
func (h runHandler) progress(w http.ResponseWriter, r *http.Request) error {
	run, err := h.named(r)
	if err != nil {
		return err
	}
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		return &marketplace.Error{Code: marketplace.RateLimited, Message: "too many streams", RetryAfter: streamPause}
	}
	exchangeOf(r.Context()).stream = true
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	seen, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	h.stream(r.Context(), &events{w: w, seen: seen}, run)
	return nil
}

// stream ends when the caller or the database is gone. The caller reconnects.
func (h runHandler) stream(ctx context.Context, to *events, run certification.Run) {
	ctx, cancel := context.WithTimeout(ctx, h.Stream)
	defer cancel()
	for after := 0; ; {
		state, err := h.Store.Run(ctx, run.Integration, run.ID)
		if err != nil {
			return
		}
		parts, err := h.Store.Parts(ctx, run.ID, certification.Progress, after)
		if err != nil {
			return
		}
		for _, part := range parts {
			after = part.Number
			to.rules(part.Body)
		}
		if state.State.Over() {
			to.end(state)
			return
		}
		if to.flush() != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-h.Stopping:
			return
		case <-time.After(streamPause):
		}
	}
}

// events writes server-sent events.
type events struct {
	w    http.ResponseWriter
	sent int // rules so far, including those that the caller has received
	seen int
}

func (e *events) rules(lines []byte) {
	for line := range bytes.Lines(lines) {
		if e.sent++; e.sent > e.seen {
			fmt.Fprintf(e.w, "id: %d\nevent: rule\ndata: %s\n\n", e.sent, bytes.TrimSpace(line))
		}
	}
}

func (e *events) end(run certification.Run) {
	fmt.Fprintf(e.w, "event: end\ndata: {\"state\":%q,\"verdict\":%q}\n\n", run.State, run.Verdict)
}

// flush sends the events and a comment, which keeps proxies from closing the stream.
func (e *events) flush() error {
	fmt.Fprint(e.w, ":\n\n")
	return http.NewResponseController(e.w).Flush()
}
