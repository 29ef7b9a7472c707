package fault

import (
	"context"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// SetStatus changes the status of the partner's answer.
type SetStatus int

func (s SetStatus) compile() (any, error) {
	return s, invalid.RequireRange("set_status", int(s), 200, 599)
}

func (s SetStatus) transform(_ context.Context, answer *response, _ func() []any) error {
	answer.status = int(s)
	return nil
}
