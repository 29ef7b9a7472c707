package partner_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
)

func TestAJournalWritesSoonAndAtItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var written []int
		j := partner.NewJournal(func(_ context.Context, entries []int) error {
			mu.Lock()
			defer mu.Unlock()
			written = append(written, entries...)
			return nil
		}, slog.New(slog.DiscardHandler))
		has := func(want ...int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(written, want) {
				t.Errorf("want %v written, got %v", want, written)
			}
		}
		id := uuid.New()
		j.Add(id, false, 1)
		has()
		time.Sleep(time.Second + time.Millisecond) // of the synctest bubble
		has(1)
		j.Add(id, false, 2)
		j.Flush(t.Context())
		has(1, 2)
		j.Add(id, true, 3)
		j.Close()
		has(1, 2, 3)
	})
}

func TestAJournalHoldsTheLastEntriesAndNeverWaitsForAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		hang, written := make(chan struct{}), make(chan []int, 2)
		j := partner.NewJournal(func(_ context.Context, entries []int) error {
			<-hang
			written <- entries
			return errors.New("the database is away")
		}, slog.New(slog.NewTextHandler(&log, nil)))
		noisy, quiet := uuid.New(), uuid.New()
		j.Add(noisy, false, -1)
		go j.Flush(t.Context())
		synctest.Wait() // the write blocks
		for i := range 1000 {
			j.Add(noisy, false, i)
		}
		j.Add(noisy, true, 2000)
		j.Add(quiet, false, 3000)
		close(hang)
		j.Close()
		if first := <-written; !slices.Equal(first, []int{-1}) {
			t.Errorf("want the first one, got %v", first)
		}
		rest := <-written
		slices.Sort(rest)
		if len(rest) != 22 || rest[0] != 980 || rest[20] != 2000 || rest[21] != 3000 {
			t.Errorf("want the last 20, and those of others, got %v", rest)
		}
		if logged := log.String(); !strings.Contains(logged, "not stored") || !strings.Contains(logged, "entries=22") {
			t.Errorf("want what was dropped in the log, got %s", logged)
		}
	})
}
