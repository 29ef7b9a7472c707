package partner_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

// Four large answers are read concurrently. The fifth waits, and small ones do not.
func TestOnlyAFewLargeAnswersAreHeldInMemory(t *testing.T) {
	t.Parallel()
	block := make([]byte, 9<<20)
	answers := func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/small/") {
			_, _ = w.Write(block)
		}
	}
	timed(t, answers, func(t *testing.T, b *bench) {
		release, held := make(chan struct{}), make(chan struct{}, 10)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				target := b.target
				target.ID, target.Account = uuid.New(), uuid.New()
				if err := b.Products(t.Context(), target, time.Time{}, func(context.Context, []byte) error { held <- struct{}{}; <-release; return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // all wait for something
		if len(held) != 4 {
			t.Errorf("want the fifth to wait, got %d in memory", len(held))
		}
		small := b.target
		address := *small.BaseURL
		address.Path = "/small"
		small.ID, small.BaseURL = uuid.New(), &address
		if err := b.Products(t.Context(), small, time.Time{}, acceptAny); err != nil {
			t.Errorf("want a small answer read immediately, got %v", err)
		}
		close(release)
		all.Wait()
		if len(held) != 5 {
			t.Error("want the fifth read in the end")
		}
	})
}

func TestTheLargeAnswersOfOneAccountLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	block := make([]byte, 9<<20)
	timed(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(block) }, func(t *testing.T, b *bench) {
		release, held := make(chan struct{}), make(chan uuid.UUID, 10)
		greedy, other := uuid.New(), uuid.New()
		var all sync.WaitGroup
		for _, account := range []uuid.UUID{greedy, greedy, greedy, greedy, other} {
			all.Go(func() {
				target := b.target
				target.ID, target.Account = uuid.New(), account
				if err := b.Products(t.Context(), target, time.Time{}, func(context.Context, []byte) error { held <- account; <-release; return nil }); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		if len(held) != 3 {
			t.Errorf("Expected two answers of one account and one of the other, received %d", len(held))
		}
		close(release)
		all.Wait()
	})
}

func TestAnAnswerThatWaitsForOthersIsNotItsPartnersFault(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	crowded := partner.CrowdedReader(over, strings.NewReader("12345678"), 4)
	head := make([]byte, 4)
	if n, err := io.ReadFull(crowded, head); err != nil || n != 4 {
		t.Fatalf("want the usual size read without a turn, got %d and %v", n, err)
	}
	end()
	if _, err := io.ReadAll(crowded); !errors.Is(err, partner.ErrCrowded) {
		t.Errorf("Expected an error of its own, received %v", err)
	}
}

func TestAnAnswerThatTakesTooLongToJudgeIsLate(t *testing.T) {
	t.Parallel()
	timed(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }, func(t *testing.T, b *bench) {
		err := b.Products(t.Context(), b.target, time.Time{}, func(ctx context.Context, _ []byte) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		if domain.CodeOf(err) != domain.PartnerLate || !strings.Contains(err.Error(), "was not complete within 15s") {
			t.Errorf("want it to be late, got %v", err)
		}
		b.observes(t, partner.ResultTimeout)
	})
}
