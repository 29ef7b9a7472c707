package fault

import (
	"context"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// SetStatus sends the partner's answer with another status.
type SetStatus int

func (s SetStatus) compile() (action, error) {
	return s, invalid.Within("set_status", int(s), 200, 599)
}

func (s SetStatus) transform(_ context.Context, answer *response, _ func() []any) error {
	answer.status = int(s)
	return nil
}
