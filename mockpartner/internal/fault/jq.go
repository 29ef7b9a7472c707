package fault

import (
	"context"
	"fmt"

	"github.com/itchyny/gojq"

	"partnerkit.dev/mockpartner/internal/jq"
)

// Variables are the names of the variables of jq programs on bodies. They are the request with its
// method, path, query and body, the number of the match, and the sandbox's time.
func Variables() []string { return []string{"$request", "$nth", "$now"} }

// JQ is a jq program that turns the answer's JSON body into another. It can use $request (method,
// path, query, body), $nth, the number of the match, and $now.
type JQ string

func (j JQ) compile() (any, error) {
	p, err := jq.Compile("jq", string(j), Variables()...)
	if err != nil {
		return nil, err
	}
	return &transform{p}, nil
}

type transform struct{ program *jq.Program }

func (t *transform) transform(ctx context.Context, answer *response, variables func() []any) error {
	if len(answer.body) > jq.MaxBody {
		return fmt.Errorf("jq: the answer is larger than %d MiB", jq.MaxBody>>20)
	}
	input, err := jq.Decode(answer.body)
	if err != nil {
		return fmt.Errorf("jq: the answer is not JSON: %w", err)
	}
	output, err := t.program.Run(ctx, input, variables()...)
	if err != nil {
		return err
	}
	body, err := gojq.Marshal(output)
	if err != nil {
		return fmt.Errorf("jq: %w", err)
	}
	if len(body) > jq.MaxBody {
		return fmt.Errorf("jq: the output is larger than %d MiB", jq.MaxBody>>20)
	}
	answer.body = append(body, '\n')
	return nil
}
