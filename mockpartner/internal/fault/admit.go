package fault

import "context"

// Admit lets the request pass whatever key it presents. With when: after and a
// status of 401, the partner acts before it looks at the key.
type Admit bool

func (a Admit) compile() (action, error) { return a, nil }

type admitted struct{}

// Admitted reports whether a fault lets the request with this context pass
// whatever key it presents.
func Admitted(ctx context.Context) bool {
	is, _ := ctx.Value(admitted{}).(Admit)
	return bool(is)
}
