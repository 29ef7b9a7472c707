package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/itchyny/gojq"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// The bounds of a jq program. They keep a wrong program from taking the mock
// with it; between two steps of a program they are looked at, not within one.
const (
	maxProgram   = 64 << 10         // bytes of its text
	maxJQBody    = 16 << 20         // bytes of its input, and of its output
	jqTimeout    = 2 * time.Second  // for one run
	jqPatience   = 10 * time.Second // for other runs of the same program
	maxJQMessage = 200              // bytes of its error that are told
)

// Program is a jq program. It sees no environment, no files and no input but
// the one that it is given, and its variables. It runs once at a time: what a wrong one may take of
// memory must not be taken by many requests at once.
type Program struct {
	code *gojq.Code
	turn chan struct{}
}

// CompileJQ compiles a program, whose path in a fault its errors name.
func CompileJQ(path, text string) (*Program, error) {
	if len(text) > maxProgram {
		return nil, invalid.At(path, "the jq program is longer than %d bytes", maxProgram)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, invalid.At(path, "want a jq program: %v", err)
	}
	code, err := gojq.Compile(query, gojq.WithEnvironLoader(func() []string { return nil }), gojq.WithVariables(variableNames()))
	if err != nil {
		return nil, invalid.At(path, "want a jq program: %v", err)
	}
	return &Program{code: code, turn: make(chan struct{}, 1)}, nil
}

// variableNames are those of subject.variables: the request with its method,
// path, query and body, the number of the match, and the sandbox's time.
func variableNames() []string { return []string{"$request", "$nth", "$now"} }

var errNoOutput = errors.New("jq: the program gives no output")

func (p *Program) run(ctx context.Context, input any, variables []any) (any, error) {
	patient, enough := context.WithTimeout(ctx, jqPatience)
	defer enough()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-patient.Done():
		return nil, fmt.Errorf("jq: other runs of the program took too long: %w", patient.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, jqTimeout)
	defer cancel()
	output, ok := p.code.RunWithContext(ctx, input, variables...).Next()
	if !ok {
		return nil, errNoOutput
	}
	if err, failed := output.(error); failed {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("jq: the program ran longer than %s", jqTimeout)
		}
		text := err.Error()
		return nil, fmt.Errorf("jq: %s", text[:min(len(text), maxJQMessage)])
	}
	return output, nil
}

// Holds reports whether the program's first output is neither false nor null.
func (p *Program) Holds(ctx context.Context, input any, variables []any) (bool, error) {
	output, err := p.run(ctx, input, variables)
	if err != nil && !errors.Is(err, errNoOutput) {
		return false, err
	}
	return output != nil && output != false, nil
}

// DecodeJSON reads JSON with its numbers as they are written.
func DecodeJSON(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// JQ is a jq program that turns the answer's JSON body into another. It sees
// $request (method, path, query, body), $nth, the number of the match, and $now.
type JQ string

func (j JQ) compile() (any, error) {
	p, err := CompileJQ("jq", string(j))
	if err != nil {
		return nil, err
	}
	return &transform{p}, nil
}

type transform struct{ program *Program }

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
