package fault

import (
	"context"
	"net/http"
)

// Admit accepts the request whatever key it presents. With when: after and a status of 401, the
// partner acts before it checks the key.
type Admit bool

type admitted struct{}

func (a Admit) request(r *http.Request, _ func() []any) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), admitted{}, a))
}

// Admitted reports whether a fault accepts the request with this context, whatever key it presents.
func Admitted(ctx context.Context) bool {
	is, _ := ctx.Value(admitted{}).(Admit)
	return bool(is)
}
