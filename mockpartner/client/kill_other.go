//go:build !linux

package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
)

func stopped(context.Context, *os.Process, uint16) ([]string, error) {
	return nil, fmt.Errorf("the connections of a process on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
