package auth

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
)

// Otherwise one caller could fill the memory for accounts, and no other could sign in.
func TestAnAddressThatIsRefusedAddsNoAccountToTheCounts(t *testing.T) {
	t.Parallel()
	secret, err := NewSecret([]byte(strings.Repeat("s", ShortestSecret)))
	if err != nil {
		t.Fatal(err)
	}
	s := NewService(nil, secret, 10, time.Now)
	for range failuresPerAddress {
		s.byAddress.limiter.Take("192.0.2.1")
	}
	if _, err := s.SignIn(t.Context(), "ana@example.com", "a guess", "192.0.2.1"); domain.CodeOf(err) != domain.RateLimited {
		t.Errorf("want it refused, got %v", err)
	}
	if n := len(s.byAccount.limiter.windows); n != 0 {
		t.Errorf("want no account counted, got %d", n)
	}
}
