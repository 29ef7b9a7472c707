package partner_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
)

// Four large answers are read concurrently. The fifth waits, and small ones do not.
func TestOnlyAFewLargeAnswersAreHeldInMemory(t *testing.T) {
	t.Parallel()
	block := make([]byte, 9<<20)
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/small/") {
			_, _ = w.Write(block)
		}
	})
	release, held := make(chan struct{}), make(chan struct{}, 10)
	pull := func() {
		target := b.target
		target.ID = uuid.New()
		if err := b.Products(t.Context(), target, time.Time{}, func(context.Context, []byte) error { held <- struct{}{}; <-release; return nil }); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(pull)
	}
	for range 4 {
		<-held
	}
	all.Go(pull)
	small := b.target
	address := *small.BaseURL
	address.Path = "/small"
	small.ID, small.BaseURL = uuid.New(), &address
	if err := b.Products(t.Context(), small, time.Time{}, anything); err != nil {
		t.Errorf("want a small answer read immediately, got %v", err)
	}
	select {
	case <-held:
		t.Error("want the fifth to wait")
	case <-time.After(time.Second): // without the limit it would have been read by now
	}
	close(release)
	all.Wait()
	if len(held) != 1 {
		t.Error("want the fifth read in the end")
	}
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
	answers := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }
	// Long enough for the answer on a busy machine.
	b := setup(t, answers, func(c *partner.Config) { c.Scale = func(limit time.Duration) time.Duration { return limit / 10 } })
	err := b.Products(t.Context(), b.target, time.Time{}, func(ctx context.Context, _ []byte) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if marketplace.CodeOf(err) != marketplace.PartnerLate || !strings.Contains(err.Error(), "was not complete within 15s") {
		t.Errorf("want it to be late, got %v", err)
	}
	b.observes(t, partner.ResultTimeout)
}
