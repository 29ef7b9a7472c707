package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	healthTime = 5 * time.Second
	mostHealth = 4 << 10 // bytes of an answer that are shown
)

// Healthy asks the service that listens at an address, host:port, for a path, and
// returns why it is not healthy. An address that stands for all of a machine's is asked
// on this machine.
func Healthy(ctx context.Context, addr, path string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr: want host:port, such as 127.0.0.1:8080, got %q", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return fmt.Errorf("--addr: want host:port, such as 127.0.0.1:8080, got %q", addr)
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
