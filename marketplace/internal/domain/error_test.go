package domain_test

import (
	"errors"
	"testing"

	"partnerkit.dev/marketplace/internal/domain"
)

func TestAnErrorStatesItsCauseOnce(t *testing.T) {
	t.Parallel()
	cause := errors.New("expected JSON")
	for _, c := range []struct {
		err  error
		want string
	}{
		{domain.Errorf(domain.PartnerFailed, "the answer is invalid: %w", cause), "the answer is invalid: expected JSON"},
		{&domain.Error{Message: "not reached", Cause: cause}, "not reached: expected JSON"},
		{&domain.Error{Message: "not found"}, "not found"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("want %q, got %q", c.want, got)
		}
	}
}
