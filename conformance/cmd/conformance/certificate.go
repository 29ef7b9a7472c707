package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/cli"
)

// certificateType is the typ header of a certificate, which distinguishes it from other signed
// statements.
const certificateType = "conformance-certificate+jwt"

// statement is the content of a certificate.
type statement struct {
	Integration     string         `json:"sub"`
	Run             string         `json:"jti"`
	IssuedAt        int64          `json:"iat"`
	ExpiresAt       int64          `json:"exp"`
	Name            string         `json:"name"`
	BaseURL         string         `json:"base_url"`
	AuthType        string         `json:"auth_type"`               // "": an older certificate, which does not state it
	Tickets         *bool          `json:"handles_ticket_delivery"` // nil: likewise
	Verdict         string         `json:"verdict"`
	SuiteVersion    string         `json:"suite_version"`
	ContractVersion string         `json:"contract_version"`
	Counts          map[string]int `json:"counts"`
	ReportSHA256    string         `json:"report_sha256"`
}

// errInvalid is returned for a certificate that is not valid. Its text is the reason.
type errInvalid string

func (e errInvalid) Error() string { return string(e) }

// mostCertificate is the largest certificate or key set, in bytes. keyTime is the timeout for
// fetching keys.
const (
	mostCertificate = 1 << 20
	keyTime         = 10 * time.Second
)

// verifyCertificate verifies the certificate in a file by the keys in a file or at a URL.
func verifyCertificate(command *cobra.Command, path, keys string) error {
	text, err := readAtMost(path, mostCertificate)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, fileerror.Reason(err))
	}
	set, err := readKeys(command.Context(), keys)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(command.OutOrStdout(), oneLine(fmt.Sprintf(format, args...)))
	}
	c, err := readCertificate(strings.TrimSpace(string(text)), set, time.Now())
	if invalid := errInvalid(""); errors.As(err, &invalid) {
		say("not valid: %s", path)
		say("  %s", invalid)
		return cli.Exit{Code: exitChanged}
	}
	if err != nil {
		return fmt.Errorf("%s %w", path, err)
	}
	say("valid: %s", path)
	say("states    %s: %s at %s", c.Verdict, c.Name, c.BaseURL)
	say("settings  %s", c.settings())
	say("valid     from %s to %s", inUTC(c.IssuedAt), inUTC(c.ExpiresAt))
	say("versions  suite %s, contract %s", c.SuiteVersion, c.ContractVersion)
	say("based on  run %s of integration %s, SHA-256 of report.json %s", c.Run, c.Integration, c.ReportSHA256)
	return nil
}

// settings describes the settings that were tested in addition to the base URL.
func (s statement) settings() string {
	if s.AuthType == "" || s.Tickets == nil {
		return "auth_type and handles_ticket_delivery are not stated: an older certificate"
	}
	return fmt.Sprintf("auth_type %s, handles_ticket_delivery %t", s.AuthType, *s.Tickets)
}

func inUTC(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// readCertificate returns the content of a certificate. It returns errInvalid if the certificate
// was changed, was signed with another key or has expired.
func readCertificate(text string, keys jose.JSONWebKeySet, now time.Time) (c statement, err error) {
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(signed.Signatures) != 1 {
		return c, errors.New("is not a certificate: expected a compact JWS that is signed with Ed25519")
	}
	header := signed.Signatures[0].Protected
	if header.ExtraHeaders[jose.HeaderType] != certificateType {
		return c, fmt.Errorf("is not a certificate: expected the type %s", certificateType)
	}
	if !isExactEncoding(text) {
		return c, errInvalid("it was changed: its encoding does not match its content")
	}
	known := keys.Key(header.KeyID)
	if header.KeyID == "" || len(known) == 0 {
		return c, errInvalid("it was signed with a key that --key does not contain")
	}
	payload, err := signed.Verify(known[0])
	if err != nil {
		return c, errInvalid("it was changed, or signed with another key")
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, errInvalid("the signed content is not a certificate")
	}
	switch {
	case now.Unix() >= c.ExpiresAt:
		return c, errInvalid("it expired at " + inUTC(c.ExpiresAt))
	case now.Add(time.Minute).Unix() < c.IssuedAt:
		return c, errInvalid("it is valid only from " + inUTC(c.IssuedAt) + ": compare the clocks")
	}
	return c, nil
}

// isExactEncoding reports whether a compact JWS is the only encoding of its parts. Decoders ignore the unused
// bits in a part's last character, and the signature does not cover them.
func isExactEncoding(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return false
		}
	}
	return true
}

// readKeys reads a JSON Web Key Set from a file or a URL.
func readKeys(ctx context.Context, from string) (set jose.JSONWebKeySet, err error) {
	var text []byte
	if strings.HasPrefix(from, "https://") || strings.HasPrefix(from, "http://") {
		text, err = fetchKeys(ctx, from)
	} else if text, err = readAtMost(from, mostCertificate); err != nil {
		err = fmt.Errorf("--key %s cannot be read: %w", from, fileerror.Reason(err))
	}
	if err != nil {
		return set, err
	}
	if err := json.Unmarshal(text, &set); err != nil || len(set.Keys) == 0 {
		return set, fmt.Errorf("--key %s is not a JSON Web Key Set: expected the content of a service's /.well-known/jwks.json", from)
	}
	return set, nil
}

func fetchKeys(ctx context.Context, from string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, keyTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("--key %s: expected 200, received %d", from, response.StatusCode)
	}
	return io.ReadAll(io.LimitReader(response.Body, mostCertificate))
}

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}
