package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
)

// writing stores a process's output and extends the lease.
type writing struct {
	store    Store
	lease    Lease
	limit    time.Duration // of one statement
	process  *runProcess
	ledger   string // its path
	read     int64  // how many bytes have been read
	numbers  map[Kind]int
	pending  []Part // not stored yet
	extended time.Time
	log      *slog.Logger
}

// look stores new output and reports whether everything is stored. It waits for an unavailable
// database until the lease expires: after that another replica may have claimed the run.
func (w *writing) look(ctx context.Context) (all bool, err error) {
	if err := w.collect(); err != nil {
		return false, err
	}
	if len(w.pending) == 0 && time.Since(w.extended) < extendEvery {
		return true, nil
	}
	within, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	asked := time.Now()
	err = w.store.Extend(within, w.lease, w.pending)
	switch {
	case err == nil:
		w.pending, w.extended = nil, asked
		return true, nil
	case domain.CodeOf(err) == domain.NotFound, time.Since(w.extended) > w.lease.Time:
		return false, err
	default:
		w.log.WarnContext(ctx, "the progress of a conformance run was not stored", slog.String("run_id", w.lease.Run.String()), slog.Any("error", err))
		return false, nil
	}
}

func (w *writing) collect() error {
	w.add(Progress, w.process.progress.take())
	file, err := os.Open(w.ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the process has not created it
	}
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, w.read, mostLedger))
	if err != nil {
		return fmt.Errorf("read the run's ledger: %w", err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1] // an incomplete line is read next time
	w.read += int64(len(text))
	w.add(Ledger, text)
	return nil
}

func (w *writing) add(kind Kind, text []byte) {
	if len(text) == 0 {
		return
	}
	w.numbers[kind]++
	w.pending = append(w.pending, Part{kind, w.numbers[kind], text})
}
