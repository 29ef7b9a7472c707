package certification

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

const (
	// cleanupTime bounds a cleanup after a run that was left behind. So many are tried, a
	// minute apart or more: by then every hold has expired.
	cleanupTime  = time.Minute
	mostCleanups = 30
)

// errLeft is what is said of a run whose replica died.
var errLeft = errors.New("the service ended during the run")

// Exit codes of conformance cleanup.
const (
	cleanupDone    = 0
	cleanupPartial = 1 // what could not be undone is listed
)

// CleanUp ends a run that a dead replica has left behind: what its ledger has open is
// undone, and the run has failed. A run that is not left behind is left alone. If the
// partner cannot be reached, the run is cleaned up again when the lease is over.
func (r *Runner) CleanUp(ctx context.Context, id uuid.UUID) error {
	lease := Lease{id, uuid.New(), cleanupTime + 2*endTime}
	run, err := r.Store.TakeOver(ctx, lease)
	if err != nil {
		return unlessGone(err)
	}
	left, err := r.undo(ctx, run)
	if ctx.Err() != nil {
		return nil // another replica goes on
	}
	reason := errLeft
	if err != nil {
		r.Log.WarnContext(ctx, "what a conformance run left behind was not undone", slog.String("run_id", id.String()), slog.Int("try", run.Cleanups), slog.Any("error", err))
		if run.Cleanups < mostCleanups {
			return nil
		}
		reason = fmt.Errorf("%w, and what it held or booked may be left at the partner: %w", errLeft, err)
	}
	return r.finish(ctx, lease, run, Outcome{State: Failed, Result: Result{Reason: sayable(reason.Error()), NotUndone: left}})
}

// undo has the command undo what a run's ledger has open, and returns what is left.
func (r *Runner) undo(ctx context.Context, run Run) (left []Leftover, err error) {
	ledger, err := r.Store.Parts(ctx, run.ID, Ledger, 0)
	if err != nil || len(ledger) == 0 {
		return nil, err
	}
	_, key, err := r.partner(ctx, run)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "conformance-cleanup-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var text []byte
	for _, part := range ledger {
		text = append(text, part.Body...)
	}
	if err := os.WriteFile(filepath.Join(dir, ledgerFile), text, 0o600); err != nil {
		return nil, err
	}
	p, err := start(r.Command, dir, key, append([]string{"cleanup", ledgerFile, "--json"}, r.reach()...)...)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, cleanupTime)
	defer cancel()
	if err := p.watch(within, lookEvery, endTime, func() (bool, error) { return true, nil }); err != nil {
		return nil, err
	}
	if code := p.code(); code != cleanupDone && code != cleanupPartial {
		return nil, fmt.Errorf("conformance cleanup ended with %d: %s", code, p.errors.lastLine())
	}
	var said struct {
		NotUndone []Leftover `json:"not_undone"`
	}
	return said.NotUndone, json.Unmarshal(p.progress.take(), &said)
}
