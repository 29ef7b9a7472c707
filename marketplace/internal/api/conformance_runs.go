package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/internal/webui"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

type runStore interface {
	Run(ctx context.Context, integration, id uuid.UUID) (conformance.Run, error)
	List(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[conformance.Run], error)
	Report(ctx context.Context, run uuid.UUID, name string) ([]byte, error)
	Parts(ctx context.Context, run uuid.UUID, kind conformance.Kind, after int) ([]conformance.Part, error)
	Certificate(ctx context.Context, integration uuid.UUID) (string, error)
	Certifications(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]client.Certification, error)
	Share(ctx context.Context, run, account uuid.UUID, s conformance.Share) error
	Shares(ctx context.Context, run uuid.UUID, at time.Time) ([]conformance.Share, error)
	Unshare(ctx context.Context, run, share uuid.UUID) error
	SharedReport(ctx context.Context, share uuid.UUID, name string) ([]byte, error)
	admissionStore
	registryStore
}

// Runs is the API's access to conformance runs.
type Runs struct {
	Store    runStore
	Service  *conformance.Service
	Links    *conformance.Links
	Signer   *conformance.Signer
	Stopping <-chan struct{} `part:"optional"` // closed when progress streams must end; nil: never
	Stream   time.Duration   // the duration of a stream; 0: streamTime
}

// The limits of a progress stream.
const (
	// streamTime is shorter than the server's limit for an answer. Browsers reconnect.
	streamTime  = 100 * time.Second
	streamPause = 300 * time.Millisecond
)

// runHandler serves partners' requests about conformance runs of their integrations, and operators'
// about all runs.
type runHandler struct {
	Runs
	integrations integrationHandler
	guard        *guard
	secure       bool // browsers use HTTPS
	streams      *streams
	now          func() time.Time
}

func newRunHandler(c Config, guard *guard, integrations integrationHandler) runHandler {
	r := c.Runs
	if r.Stream == 0 {
		r.Stream = streamTime
	}
	return runHandler{r, integrations, guard, c.Secure, &streams{byAccount: map[uuid.UUID]int{}}, c.Now}
}

type runRequest struct {
	Scope conformance.Scope `json:"scope" validate:"omitempty,oneof=full read_only"` // "": full
	Rules []string          `json:"rules" validate:"max=300,dive,ruleid"`            // empty: all
}

// start queues a run.
func (h runHandler) start(r *http.Request, i domain.Integration) (any, error) {
	body := runRequest{}
	if err := readOptionalBody(r, &body); err != nil {
		return nil, err
	}
	if body.Scope == "" {
		body.Scope = conformance.Full
	}
	id, err := h.Service.Start(r.Context(), i.ID, body.Scope, body.Rules, caller(r.Context()).Role == domain.Operator)
	return map[string]uuid.UUID{"run_id": id}, err
}

// viewRun leaves out what only the answer about one run has.
func viewRun(r conformance.Run) client.Run {
	return client.Run{
		ID: r.ID.String(), IntegrationID: r.Integration.String(), Scope: string(r.Scope), Rules: append([]string{}, r.Rules...), State: string(r.State),
		Verdict: r.Verdict, Reason: r.Reason, SuiteVersion: r.SuiteVersion, ContractVersion: r.ContractVersion, Counts: r.Counts,
		CreatedAt: r.CreatedAt, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
	}
}

// list lists an integration's runs, newest first.
func (h runHandler) list(r *http.Request, i domain.Integration) (any, error) {
	asked, err := readQuery(r).storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.Store.List(r.Context(), i.ID, asked.request())
	return pageOf(asked, found, viewRun), err
}

func (h runHandler) show(r *http.Request) (any, error) {
	run, err := h.findRun(r)
	view := viewRun(run)
	view.Findings = viewList(run.Findings, func(f conformance.Finding) client.Finding { return client.Finding(f) })
	view.NotUndone = viewList(run.NotUndone, func(l conformance.Leftover) client.Leftover { return client.Leftover(l) })
	return view, err
}

// findRun returns the run in the path, of an integration that the caller may see.
func (h runHandler) findRun(r *http.Request) (run conformance.Run, err error) {
	_, err = h.integrations.withIntegration(func(r *http.Request, i domain.Integration) (any, error) {
		id, err := pathID(r, "run")
		if err == nil {
			run, err = h.Store.Run(r.Context(), i.ID, id)
		}
		return nil, err
	})(r)
	return run, err
}

// report answers with the run's report that the path ends with.
func (h runHandler) report(contentType string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		run, err := h.findRun(r)
		if err != nil {
			return err
		}
		body, err := h.Store.Report(r.Context(), run.ID, path.Base(r.URL.Path))
		if err != nil {
			return err
		}
		return writeReport(w, r, contentType, body)
	}
}

const htmlType = "text/html; charset=utf-8"

// writeReport writes a compressed report. Part of it is the partner's text, so browsers must not give
// it access to the marketplace's pages.
func writeReport(w http.ResponseWriter, r *http.Request, contentType string, body []byte) (err error) {
	header := w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "private, no-store")
	header.Set("Content-Security-Policy", reportPolicy(body))
	header.Set("Vary", "Accept-Encoding")
	var text io.Reader = bytes.NewReader(body)
	if webui.AcceptsGzip(r.Header) {
		header.Set("Content-Encoding", "gzip")
	} else if text, err = gzip.NewReader(text); err != nil {
		return err
	}
	_, _ = io.Copy(w, text) // an error means that the caller has gone
	return nil
}

// ownPolicy matches the beginning of a report's page, up to its own policy. What a partner wrote comes later.
var ownPolicy = regexp.MustCompile(`\A<!DOCTYPE html>\s*<html lang="en">\s*<head>\s*<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)

// hashSource matches the only inline style or script that a policy allows.
var hashSource = regexp.MustCompile(`(?:style|script)-src 'sha256-[0-9A-Za-z+/]{43}='`)

// reportPolicy returns the policy for a compressed report: it runs the script of the page, which the page's own
// policy names by its hash, and no other.
func reportPolicy(packed []byte) string {
	policy := []string{"sandbox allow-scripts allow-popups", "default-src 'none'", "img-src data:"}
	if text, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
		beginning, _ := io.ReadAll(io.LimitReader(text, 2<<10)) // an error is one of the report, which is sent unchanged
		if found := ownPolicy.FindSubmatch(beginning); found != nil {
			policy = append(policy, hashSource.FindAllString(html.UnescapeString(string(found[1])), 2)...)
		}
	}
	return strings.Join(policy, "; ")
}

// sharedReport is the report that links share.
const sharedReport = "report.html"

// sharedDays is how long a link works by default.
const sharedDays = 7

type shareRequest struct {
	Days *int `json:"expires_in_days" validate:"omitempty,min=1,max=30"` // nil: sharedDays
}

// share answers with a link to the run's report, which works without signing in. The link has the
// host that the caller used.
func (h runHandler) share(r *http.Request) (any, error) {
	run, err := h.findRun(r)
	if err != nil {
		return nil, err
	}
	body := shareRequest{}
	if err := readOptionalBody(r, &body); err != nil {
		return nil, err
	}
	if run.State != conformance.Finished {
		return nil, domain.Errorf(domain.Conflict, "the run has no report to share: its state is %s, not finished", run.State)
	}
	days := sharedDays
	if body.Days != nil {
		days = *body.Days
	}
	made, token, err := h.Links.New(sharedReport, time.Duration(days)*24*time.Hour)
	if err != nil {
		return nil, err
	}
	err = h.Store.Share(r.Context(), run.ID, caller(r.Context()).Account, made)
	return client.RunLink{ID: made.ID.String(), URL: linkTo(r, h.secure, sharedPath+"reports/"+token), ExpiresAt: made.ExpiresAt}, err
}

// shares lists the links to the run's report that work. Partners do not read operators' addresses.
func (h runHandler) shares(r *http.Request) (any, error) {
	run, err := h.findRun(r)
	if err != nil {
		return nil, err
	}
	list, err := h.Store.Shares(r.Context(), run.ID, h.now())
	return viewList(list, func(s conformance.Share) client.Share {
		view := client.Share{ID: s.ID.String(), CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt, CreatedBy: s.Email}
		if s.Role == domain.Operator && caller(r.Context()).Role != domain.Operator {
			view.CreatedBy = ""
		}
		return view
	}), err
}

// unshare revokes a link to the run's report.
func (h runHandler) unshare(r *http.Request) (any, error) {
	run, err := h.findRun(r)
	if err != nil {
		return nil, err
	}
	id, err := pathID(r, "share")
	if err != nil {
		return nil, domain.Errorf(domain.NotFound, "link not found")
	}
	return struct{}{}, h.Store.Unshare(r.Context(), run.ID, id)
}

// serveShared answers with the report of a link. Its address is a credential, so browsers must not send
// it to other sites, nor search engines list it. An invalid link does not reveal whether a run exists.
func (h runHandler) serveShared(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Robots-Tag", "noindex")
	share, err := h.Links.Share(mux.Vars(r)["token"], sharedReport)
	var body []byte
	if err == nil {
		body, err = h.Store.SharedReport(r.Context(), share, sharedReport)
	}
	switch {
	case errors.Is(err, conformance.ErrLinkExpired):
		writeLinkPage(w, http.StatusGone, "This link has expired", "Ask the person who sent it for a new one.")
	case domain.CodeOf(err) == domain.NotFound:
		writeLinkPage(w, http.StatusNotFound, "This link opens no report",
			"The address may be incomplete, or the link was revoked, or the report deleted. Ask the person who sent the link for a new one.")
	case err != nil:
		return err
	default:
		return writeReport(w, r, htmlType, body)
	}
	return nil
}

// writeLinkPage writes the page for a link that opens no report.
func writeLinkPage(w http.ResponseWriter, status int, title, text string) {
	w.Header().Set("Content-Type", htmlType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%[1]s</title>
<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem}h1{font-size:1.5rem}</style></head>
<body><main><h1>%[1]s</h1><p>%[2]s</p></main></body>
</html>
`, title, text) // an error means that the caller has gone
}

// certificate answers with an integration's certificate, as a compact JWS.
func (h runHandler) certificate(w http.ResponseWriter, r *http.Request) error {
	text, err := h.integrations.withIntegration(func(r *http.Request, i domain.Integration) (any, error) {
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
	_, _ = w.Write(h.Signer.Keys()) // an error means that the caller has gone
	return nil
}

// progress streams an event for each judged rule, from the start of the run or after the caller's
// last event, and an event when the run has ended.
func (h runHandler) progress(w http.ResponseWriter, r *http.Request) error {
	run, err := h.findRun(r)
	if err != nil {
		return err
	}
	leave, err := h.streams.enter(caller(r.Context()).Account)
	if err != nil {
		return err
	}
	defer leave()
	exchangeOf(r.Context()).stream = true
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	seen, _ := strconv.Atoi(r.Header.Get(lastEventHeader))
	h.stream(r, &events{w: w, seen: seen}, run)
	return nil
}

// lastEventHeader is the last event that a caller received before it reconnected.
const lastEventHeader = "Last-Event-ID"

// stream ends when the caller, its session or the database is gone. The caller reconnects.
func (h runHandler) stream(r *http.Request, to *events, run conformance.Run) {
	ctx, cancel := context.WithTimeout(r.Context(), h.Stream)
	defer cancel()
	for after := 0; ; {
		if _, err := h.guard.identify(r, false); err != nil {
			return
		}
		state, err := h.Store.Run(ctx, run.Integration, run.ID)
		if err != nil {
			return
		}
		parts, err := h.Store.Parts(ctx, run.ID, conformance.Progress, after)
		if err != nil {
			return
		}
		for _, part := range parts {
			after = part.Number
			to.rules(part.Body)
		}
		if state.State.HasEnded() {
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

func (e *events) end(run conformance.Run) {
	fmt.Fprintf(e.w, "event: end\ndata: {\"state\":%q,\"verdict\":%q}\n\n", run.State, run.Verdict)
}

// flush sends the events and a comment, which keeps proxies from closing the stream.
func (e *events) flush() error {
	fmt.Fprint(e.w, ":\n\n")
	return http.NewResponseController(e.w).Flush()
}
