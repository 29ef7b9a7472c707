package settings

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/conformance/internal/probe"
)

// ParseBaseURL parses and checks a partner's address as registration would.
func ParseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("--base-url is missing: give the partner's address, such as --base-url https://partner.example/api")
	}
	address, err := ParseAddress(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--base-url %w, such as https://partner.example/api", err)
	case address.RawQuery != "" || address.ForceQuery || strings.Contains(text, "#"):
		return nil, errors.New("--base-url has a query or a fragment: paths are joined below it, so leave out what begins with ? or #")
	}
	return address, nil
}

func parseClockURL(text string) error {
	if text == "" {
		return nil
	}
	if _, err := ParseAddress(text); err != nil {
		return fmt.Errorf("--clock-url %w, such as http://127.0.0.1:8081/_mock/clock", err)
	}
	return nil
}

// ParseAddress parses the address of a server. Its errors do not show the address, because secrets
// are often pasted into addresses.
func ParseAddress(text string) (*url.URL, error) {
	const want = "expected an http:// or https:// address"
	address, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not a URL (%s): %s", flaw(err), want)
	case address.User != nil:
		return nil, fmt.Errorf("contains a user or a password: set the key in %s; %s", probe.KeyVariable, want)
	case address.Scheme != "http" && address.Scheme != "https":
		return nil, errors.New("does not begin with http:// or https://")
	case address.Hostname() == "":
		return nil, errors.New("has no host: " + want)
	case !isPort(address.Port()):
		return nil, errors.New("has an invalid port, expected 1 to 65535: " + want)
	}
	return address, nil
}

func flaw(err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch text := err.Error(); {
	case errors.As(err, &escape):
		return "invalid percent-encoding"
	case errors.As(err, &host):
		return "invalid character in the host"
	case strings.Contains(text, "control character"):
		return "it contains a control character, such as a line break"
	case strings.Contains(text, "invalid port"):
		return "the port is not a number"
	default:
		return "it cannot be parsed"
	}
}

func isPort(port string) bool {
	number, err := strconv.Atoi(port)
	return port == "" || err == nil && number >= 1 && number <= 65535
}
