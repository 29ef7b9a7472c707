package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/conformance/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// parseBaseURL checks a partner's address as registration would.
func parseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("--base-url is missing: give the partner's address, such as --base-url https://partner.example/api")
	}
	address, err := url.Parse(text)
	var syntax *url.Error
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("--base-url is no URL: %w", syntax.Err)
	case address.Scheme != "http" && address.Scheme != "https":
		return nil, fmt.Errorf("--base-url %q: want http:// or https:// in front", address.Redacted())
	case address.Hostname() == "":
		return nil, fmt.Errorf("--base-url %q has no host", address.Redacted())
	case address.User != nil:
		return nil, errors.New("--base-url must not hold a user or password: the key goes into " + probe.KeyVariable)
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return nil, fmt.Errorf("--base-url %q must not have a query or a fragment: paths are joined below it", address.Redacted())
	}
	return address, nil
}

// parseAuthType checks how the key is presented.
func parseAuthType(text string) (partnerapi.AuthType, error) {
	if authType := partnerapi.AuthType(text); slices.Contains(partnerapi.AuthTypes(), authType) {
		return authType, nil
	}
	return "", fmt.Errorf("--auth-type %q: want bearer or api_key", text)
}

// checkKey checks that a key can stand in a header. The error never shows it.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("the key is missing: set " + probe.KeyVariable + ", or give --auth-key")
	case strings.ContainsFunc(key, unicode.IsControl):
		return errors.New("the key holds a line break or another control character, which no header can carry: check how it was copied")
	case strings.TrimSpace(key) != key:
		return errors.New("the key begins or ends with a space: check how it was copied")
	}
	return nil
}

// parseClockURL checks the address of the target's clock.
func parseClockURL(text string) error {
	if text == "" {
		return nil
	}
	if address, err := url.Parse(text); err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" {
		return fmt.Errorf("--clock-url %q: want an http:// or https:// address", text)
	}
	return nil
}
