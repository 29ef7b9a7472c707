package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"partnerkit.dev/mockpartner/internal/jq"
)

// Request is a jq program that changes the request's JSON body before the partner receives it. A
// body that is not JSON does not change.
type Request string

type rewrite struct{ program *jq.Program }

func (t Request) compile() (any, error) {
	program, err := jq.Compile("request", string(t), Variables()...)
	return &rewrite{program}, err
}

func (t *rewrite) request(r *http.Request, variables func() []any) *http.Request {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		var value, output any
		if value, err = jq.Decode(body); err == nil {
			if output, err = t.program.Run(r.Context(), value, variables()...); err == nil {
				body, _ = json.Marshal(output) // the value comes from JSON
			}
		}
	}
	changed := r.Clone(r.Context())
	changed.Body, changed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return changed
}
