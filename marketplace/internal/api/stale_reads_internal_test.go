package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

func TestTheNextReadOfAnAccountShowsWhatItHasChanged(t *testing.T) {
	t.Parallel()
	s := newStaleReads()
	seenBy := func(account uuid.UUID) (seen time.Time) {
		x := &exchange{who: auth.Identity{Account: account}}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		read := func(_ http.ResponseWriter, r *http.Request) error {
			var allowed bool
			if seen, allowed = domain.AllowsStale(r.Context()); !allowed {
				t.Error("Expected a read that may be stale")
			}
			return nil
		}
		if err := s.allow(read)(nil, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))); err != nil {
			t.Error(err)
		}
		return seen
	}
	ana, ben := uuid.New(), uuid.New()
	end := s.change(ana)
	asked := time.Now()
	if seen := seenBy(ana); seen.Before(asked) {
		t.Errorf("Expected a read during a change to show everything until now, received one of %s", seen)
	}
	answered := time.Now()
	end()
	if seen := seenBy(ana); seen.Before(answered) || seen.After(time.Now()) {
		t.Errorf("Expected a read that shows the change, received one of %s", seen)
	}
	if seen := seenBy(ben); !seen.IsZero() {
		t.Errorf("Expected no change of another account, received one of %s", seen)
	}
	s.changes[ana], s.pruned = accountChange{ended: answered.Add(-time.Hour)}, answered.Add(-time.Hour)
	s.change(ben)
	if _, kept := s.changes[ana]; kept || len(s.changes) != 1 {
		t.Errorf("Expected changes of an hour ago to be forgotten, received %v", s.changes)
	}
}
