package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

const (
	healthTime = 5 * time.Second
	mostHealth = 4 << 10 // bytes of an answer that are shown
)

// NewHealth completes a command that requests a path from a service at --addr, and prints line if
// the service is healthy.
func NewHealth(command *cobra.Command, addr, usage, path, line string) *cobra.Command {
	given := command.Flags().String("addr", addr, usage)
	command.RunE = func(command *cobra.Command, _ []string) error {
		if err := checkHealth(command.Context(), *given, path); err != nil {
			return FailedError(err)
		}
		_, err := fmt.Fprintln(command.OutOrStdout(), line)
		return err
	}
	return command
}

// checkHealth requests a path from the service at an address, host:port, and returns why it is not
// healthy. For an unspecified address it calls localhost.
func checkHealth(ctx context.Context, addr, path string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr: expected host:port, such as 127.0.0.1:8080, received %q", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return fmt.Errorf("--addr: expected host:port, such as 127.0.0.1:8080, received %q", addr)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, mostHealth))
		return fmt.Errorf("the service is not healthy: it answered %d %s", response.StatusCode, text)
	}
	return nil
}
