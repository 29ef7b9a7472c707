package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/fileerror"
)

// fetchTime is the timeout for what is read from a URL.
const fetchTime = 10 * time.Second

// mostRedirects limits how often a URL may lead to another one.
const mostRedirects = 3

// readSource reads a file or a URL, which a flag gave.
func readSource(ctx context.Context, flag, from string, most int64) ([]byte, error) {
	if strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://") {
		return fetch(ctx, flag, from, most)
	}
	text, err := readAtMost(from, most)
	if err != nil {
		return nil, fmt.Errorf("%s %s cannot be read: %w", flag, from, fileerror.Reason(err))
	}
	return text, nil
}

// fetch reads a URL. Redirects may not lead to another host, nor from HTTPS to HTTP, because the answer
// counts as that host's.
func fetch(ctx context.Context, flag, from string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		first := before[0].URL
		if next.URL.Hostname() != first.Hostname() || first.Scheme == "https" && next.URL.Scheme != "https" {
			return fmt.Errorf("it leads to another address, %s://%s", next.URL.Scheme, next.URL.Host)
		}
		if len(before) > mostRedirects {
			return errors.New("it leads from one address to the next")
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: expected 200, received %d", flag, from, response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("expected at most %d bytes, received more", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, from, err)
	}
	return text, nil
}

// checkAddress returns what is wrong with a marketplace's address.
func checkAddress(text string) error {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return errors.New("expected the marketplace's address, such as https://marketplace.example")
	}
	return nil
}

// addressIn returns the address of a path at a marketplace.
func addressIn(marketplace, path string) string { return strings.TrimRight(marketplace, "/") + path }

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}
