// Package jq runs the jq programs of scenarios, within limits.
package jq

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

// These are the limits of a jq program. They keep a bad program from exhausting the mock. They are
// checked between the steps of a program, not within one.
const (
	maxProgram = 64 << 10         // bytes of its text
	MaxBody    = 16 << 20         // bytes of the input and of the output
	timeout    = 2 * time.Second  // for one run
	patience   = 10 * time.Second // for other runs of the same program
	maxMessage = 200              // bytes of its error that are reported
)

// Program is a jq program. It can access only its input and its variables, no environment and no
// files. It runs once at a time, so that many concurrent requests cannot multiply the memory of a
// bad program.
type Program struct {
	code *gojq.Code
	turn chan struct{}
}

// Compile compiles a program with these variables. Its errors name the path, which is the program's
// path in its scenario.
func Compile(path, text string, variables ...string) (*Program, error) {
	if len(text) > maxProgram {
		return nil, invalid.ErrorAt(path, "the jq program is longer than %d bytes", maxProgram)
	}
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, invalid.ErrorAt(path, "expected a jq program: %v", err)
	}
	code, err := gojq.Compile(query, gojq.WithEnvironLoader(func() []string { return nil }), gojq.WithVariables(variables))
	if err != nil {
		return nil, invalid.ErrorAt(path, "expected a jq program: %v", err)
	}
	return &Program{code: code, turn: make(chan struct{}, 1)}, nil
}

var errNoOutput = errors.New("jq: the program returned no output")

// Run returns the first output of the program.
func (p *Program) Run(ctx context.Context, input any, variables ...any) (any, error) {
	waiting, enough := context.WithTimeout(ctx, patience)
	defer enough()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-waiting.Done():
		return nil, fmt.Errorf("jq: other runs of the program took too long: %w", waiting.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	output, ok := p.code.RunWithContext(ctx, input, variables...).Next()
	if !ok {
		return nil, errNoOutput
	}
	if err, failed := output.(error); failed {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("jq: the program ran longer than %s", timeout)
		}
		text := err.Error()
		return nil, fmt.Errorf("jq: %s", text[:min(len(text), maxMessage)])
	}
	return output, nil
}

// Holds reports whether the program's first output is neither false nor null.
func (p *Program) Holds(ctx context.Context, input any, variables ...any) (bool, error) {
	output, err := p.Run(ctx, input, variables...)
	if err != nil && !errors.Is(err, errNoOutput) {
		return false, err
	}
	return output != nil && output != false, nil
}

// Decode reads JSON and keeps numbers as they are written.
func Decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}
