package api

import (
	"cmp"
	"context"
	"encoding/csv"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
)

// admissionStore stores under which conditions integrations are listed, and the matrix of breaches.
type admissionStore interface {
	Admissions(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]client.Admission, error)
	SetPolicy(ctx context.Context, i domain.Integration, policy *conformance.Policy) error
	RequestGoLive(ctx context.Context, integration uuid.UUID) error
	DecideGoLive(ctx context.Context, i domain.Integration, approve bool, reason string) (changed bool, err error)
	EventsAfter(ctx context.Context, integration uuid.UUID, after int64, most int) ([]conformance.Event, error)
	LatestEvents(ctx context.Context, integration uuid.UUID, most int) ([]conformance.Event, error)
	Matrix(ctx context.Context, by conformance.MatrixFilter) (client.Matrix, error)
}

// admissionHandler serves partners' requests to go live, and operators' decisions.
type admissionHandler struct {
	store        admissionStore
	integrations integrationHandler
	caughtUp     catchUp
	log          *slog.Logger
}

// ask requests the approval to go live.
func (h admissionHandler) ask(r *http.Request, i domain.Integration) (any, error) {
	if i.Mode != domain.Live {
		return nil, domain.Errorf(domain.Conflict, "an integration in test mode does not go live; register the platform in live mode")
	}
	if err := h.store.RequestGoLive(r.Context(), i.ID); err != nil {
		return nil, err
	}
	h.log.InfoContext(r.Context(), "a partner asks to go live", slog.String("integration_id", i.ID.String()))
	return h.integrations.show(r, i)
}

// seenSettings are the settings of the integration that the operator looked at; nil: those in force. A
// partner may change them meanwhile.
type seenSettings struct {
	Settings *domain.JudgedSettings `json:"settings"`
}

func (s seenSettings) check(i domain.Integration) error {
	if s.Settings != nil && *s.Settings != i.JudgedSettings() {
		return conformance.ErrOtherSettings
	}
	return nil
}

type decisionRequest struct {
	Approve *bool  `json:"approve" validate:"required"`
	Reason  string `json:"reason" validate:"max=500"`
	seenSettings
}

// decide approves a partner's request to go live, or declines it.
func (h admissionHandler) decide(r *http.Request, i domain.Integration) (any, error) {
	body := decisionRequest{}
	if err := readBody(r, &body); err != nil {
		return nil, err
	}
	if i.Mode != domain.Live {
		return nil, domain.Errorf(domain.Conflict, "an integration in test mode needs no approval")
	}
	if err := body.check(i); err != nil {
		return nil, err
	}
	changed, err := h.store.DecideGoLive(r.Context(), i, *body.Approve, strings.TrimSpace(body.Reason))
	if err != nil {
		return nil, err
	}
	if changed {
		h.log.InfoContext(r.Context(), "an operator decided whether an integration goes live", slog.String("integration_id", i.ID.String()), slog.Bool("approved", *body.Approve))
	}
	h.caughtUp(r.Context())
	return h.integrations.show(r, i)
}

type policyRequest struct {
	Policy *conformance.Policy `json:"certification" validate:"omitempty,oneof=off advise require"` // nil: the service's
	seenSettings
}

// setPolicy sets an integration's own certification policy.
func (h admissionHandler) setPolicy(r *http.Request, i domain.Integration) (any, error) {
	body := policyRequest{}
	if err := readBody(r, &body); err != nil {
		return nil, err
	}
	if err := body.check(i); err != nil {
		return nil, err
	}
	if err := h.store.SetPolicy(r.Context(), i, body.Policy); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return h.integrations.show(r, i)
}

// mostEvents is the maximum number of events in an answer.
const mostEvents = 100

type eventsView struct {
	Events domain.List[conformance.Event] `json:"events"`
	Next   string                         `json:"next_cursor"` // for after
}

// listEvents answers with an integration's events after a cursor, oldest first. With newest=true it answers
// with the last ones, newest first.
func (h admissionHandler) listEvents(r *http.Request, i domain.Integration) (any, error) {
	q := readQuery(r)
	after, newest, limit := q.text("after", 20), q.validated("newest", "oneof=true false") == "true", q.number("limit", 20, mostEvents)
	cursor, err := strconv.ParseInt(cmp.Or(after, "0"), 10, 64)
	if err != nil || cursor < 0 {
		q.refuse("after", "expected the next_cursor of an earlier answer")
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	var found []conformance.Event
	if newest {
		found, err = h.store.LatestEvents(r.Context(), i.ID, limit)
	} else {
		found, err = h.store.EventsAfter(r.Context(), i.ID, cursor, limit)
	}
	for _, one := range found {
		cursor = max(cursor, one.ID)
	}
	return eventsView{found, strconv.FormatInt(cursor, 10)}, err
}

// matrix answers with the partners that match the query.
func (h admissionHandler) matrix(r *http.Request) (any, error) { return h.selectMatrix(r) }

func (h admissionHandler) selectMatrix(r *http.Request) (m client.Matrix, err error) {
	q := readQuery(r)
	by := conformance.MatrixFilter{
		Mode: q.mode(), State: conformance.Standing(q.validated("state", "oneof=none certified failed expired")),
		Policy: conformance.Policy(q.validated("certification", "oneof=off advise require")), GoLive: conformance.GoLive(q.validated("go_live", "oneof=none requested approved declined ended")),
		Endpoint: q.validated("endpoint", "oneof=products availability reserve confirm release cancel"), Failing: q.validated("failing", "oneof=true false") == "true", Words: q.text("q", 100),
	}
	if err := q.check(); err != nil {
		return m, err
	}
	return h.store.Matrix(r.Context(), by)
}

// export answers with the matrix as CSV, one line for each partner.
func (h admissionHandler) export(w http.ResponseWriter, r *http.Request) error {
	m, err := h.selectMatrix(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="conformance.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	to := csv.NewWriter(w)
	_ = to.Write(slices.Concat([]string{"integration_id", "name", "mode", "state", "valid_until", "certification", "go_live", "listed", "judged_at", "failing_since"}, m.Endpoints))
	for _, p := range m.Partners {
		line := []string{p.IntegrationID, cell(p.Name), p.Mode, p.State, stamp(p.ValidUntil), p.Admission.Policy, p.Admission.GoLive, strconv.FormatBool(!p.Withheld), stamp(p.JudgedAt), stamp(p.FailingSince)}
		for _, c := range p.Cells {
			line = append(line, summary(c))
		}
		_ = to.Write(line)
	}
	to.Flush() // an error means that the caller has gone
	return nil
}

// cell keeps spreadsheets from running a text as a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// summary lists a cell's failed rules, or is "passed", or "" if nothing was judged.
func summary(c client.MatrixCell) string {
	var rules []string
	for _, b := range c.Breaches {
		if b.Outcome == "failed" {
			rules = append(rules, b.Rule)
		}
	}
	switch {
	case len(rules) > 0:
		return strings.Join(rules, " ")
	case !c.JudgedAt.IsZero():
		return "passed"
	}
	return ""
}
