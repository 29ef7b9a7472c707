package fault

import (
	"context"
	"fmt"

	"github.com/itchyny/gojq"
)

// JQ is a jq program that turns the answer's JSON body into another. It sees
// $request (method, path, query, body), $nth, the number of the match, and $now.
type JQ string

func (j JQ) compile() (action, error) {
	p, err := CompileJQ("jq", string(j))
	if err != nil {
		return nil, err
	}
	return &transform{p}, nil
}

type transform struct{ program *Program }

func (t *transform) compile() (action, error) { return t, nil }

func (t *transform) transform(ctx context.Context, answer *response, variables func() []any) error {
	if len(answer.body) > maxJQBody {
		return fmt.Errorf("jq: the answer is larger than %d MiB", maxJQBody>>20)
	}
	input, err := DecodeJSON(answer.body)
	if err != nil {
		return fmt.Errorf("jq: the answer is no JSON: %w", err)
	}
	output, err := t.program.run(ctx, input, variables())
	if err != nil {
		return err
	}
	body, err := gojq.Marshal(output)
	if err != nil {
		return fmt.Errorf("jq: %w", err)
	}
	if len(body) > maxJQBody {
		return fmt.Errorf("jq: the output is larger than %d MiB", maxJQBody>>20)
	}
	answer.body = append(body, '\n')
	return nil
}
