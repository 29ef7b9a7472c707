package conformance

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
	// cleanupTime limits one cleanup of an abandoned run. Attempts are at least a minute apart. By
	// the last one, every hold has expired.
	cleanupTime  = time.Minute
	mostCleanups = 30
)

// errLeft is the reason of a run whose replica crashed.
var errLeft = errors.New("the service stopped during the run")

// Exit codes of conformance cleanup.
const (
	cleanupDone    = 0
	cleanupPartial = 1 // some items could not be undone, and are listed
)

// CleanUp takes over a run that a crashed replica has abandoned. Open holds and bookings in its ledger
// are undone, and the run is queued again, once: a run may be why its replica crashed. Otherwise, or
// if something could not be undone, the run fails. Other runs are left alone. If the partner cannot be
// reached, the cleanup is repeated when the lease has expired.
func (r *Runner) CleanUp(ctx context.Context, id uuid.UUID) error {
	lease := Lease{id, uuid.New(), r.Scale(cleanupTime + 2*endTime)}
	run, err := r.Store.TakeOver(ctx, lease)
	if err != nil {
		return unlessGone(err)
	}
	left, err := r.undo(ctx, run)
	if ctx.Err() != nil {
		return nil // another replica continues
	}
	if err == nil && len(left) == 0 && run.Cleanups == 1 {
		return unlessGone(r.Store.Requeue(ctx, lease))
	}
	reason := errLeft
	if err != nil {
		r.Log.WarnContext(ctx, "the holds and bookings of a conformance run were not undone", slog.String("run_id", id.String()), slog.Int("try", run.Cleanups), slog.Any("error", err))
		if run.Cleanups < mostCleanups {
			return nil
		}
		reason = fmt.Errorf("%w, and the partner may still have its holds or bookings: %w", errLeft, err)
	}
	return r.finish(ctx, lease, run, Outcome{State: Failed, Result: Result{Reason: storableText(reason.Error()), NotUndone: left}})
}

// undo runs the command to undo a ledger's open items, and returns what is left.
func (r *Runner) undo(ctx context.Context, run Run) (left []Leftover, err error) {
	ledger, err := r.Store.Parts(ctx, run.ID, Ledger, 0)
	if err != nil || len(ledger) == 0 {
		return nil, err
	}
	_, target, err := r.partner(ctx, run)
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
	identity, err := identify(dir, target)
	if err != nil {
		return nil, err
	}
	p, err := startRun(r.Command, dir, target.AuthKey, append(append([]string{"cleanup", ledgerFile, "--json"}, r.reach()...), identity...)...)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, r.Scale(cleanupTime))
	defer cancel()
	if err := p.watch(within, lookEvery, r.Scale(endTime), func() (bool, error) { return true, nil }); err != nil {
		return nil, err
	}
	if code := p.code(); code != cleanupDone && code != cleanupPartial {
		return nil, fmt.Errorf("conformance cleanup ended with %d: %s", code, p.lastError())
	}
	var output struct {
		NotUndone []Leftover `json:"not_undone"`
	}
	return output.NotUndone, json.Unmarshal(p.progress.take(), &output)
}
