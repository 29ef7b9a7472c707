package marketplace_test

import (
	"errors"
	"testing"

	"partnerkit.dev/marketplace/internal/marketplace"
)

func TestAnErrorStatesItsCauseOnce(t *testing.T) {
	t.Parallel()
	cause := errors.New("expected JSON")
	for _, c := range []struct {
		err  error
		want string
	}{
		{marketplace.Errorf(marketplace.PartnerFailed, "the answer is invalid: %w", cause), "the answer is invalid: expected JSON"},
		{&marketplace.Error{Message: "not reached", Cause: cause}, "not reached: expected JSON"},
		{&marketplace.Error{Message: "not found"}, "not found"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("want %q, got %q", c.want, got)
		}
	}
}
