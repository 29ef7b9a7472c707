package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
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

// mostCertificate is the largest certificate or key set, in bytes.
const mostCertificate = 1 << 20

// verifyFile verifies the certificate in a file.
func (v verification) verifyFile(command *cobra.Command, path string) error {
	text, err := readAtMost(path, mostCertificate)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, fileerror.Reason(err))
	}
	by, err := v.authority(command.Context())
	if err != nil {
		return err
	}
	valid, err := by.show(command, path, func() (statement, error) { return by.read(strings.TrimSpace(string(text)), time.Now()) })
	if err == nil && !valid {
		err = cli.Exit{Code: exitChanged}
	}
	return err
}

// authority is what verifies certificates: keys, and which certificates are revoked.
type authority struct {
	keys    keySet
	revoked []revocation
}

// authority reads the keys and the revocations.
func (v verification) authority(ctx context.Context) (a authority, err error) {
	if v.registry != "" {
		v.keys, v.revocations = addressIn(v.registry, "/.well-known/jwks.json"), addressIn(v.registry, "/registry/revocations.jws")
	}
	if a.keys, err = readKeys(ctx, v.flag("--key"), v.keys); err != nil || v.revocations == "" {
		return a, err
	}
	a.revoked, err = readRevocations(ctx, v.flag("--revocations"), v.revocations, a.keys, time.Now())
	return a, err
}

// flag returns the flag that says where something is read.
func (v verification) flag(own string) string {
	if v.registry != "" {
		return "--registry"
	}
	return own
}

// read returns the content of a certificate. It returns errInvalid if the certificate is not valid.
func (a authority) read(text string, now time.Time) (c statement, err error) {
	payload, err := readSigned(text, certificateType, "a certificate", a.keys)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, errInvalid("the signed content is not a certificate")
	}
	if err := checkTime(c.IssuedAt, c.ExpiresAt, now); err != nil {
		return c, err
	}
	for _, r := range a.revoked {
		if r.Integration == c.Integration && c.IssuedAt <= r.Before {
			return c, errInvalid("it is revoked since " + inUTC(r.Before) + ": " + r.Reason)
		}
	}
	return c, nil
}

// show prints whether a certificate is valid, and what it states. Where names it for people.
func (a authority) show(command *cobra.Command, where string, read func() (statement, error)) (valid bool, err error) {
	say := func(format string, args ...any) {
		fmt.Fprintln(command.OutOrStdout(), safetext.Line(fmt.Sprintf(format, args...)))
	}
	c, err := read()
	if invalid := errInvalid(""); errors.As(err, &invalid) {
		say("not valid: %s", where)
		say("  %s", invalid)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s %w", where, err)
	}
	say("valid: %s", where)
	say("states    %s: %s at %s", c.Verdict, c.Name, c.BaseURL)
	say("settings  %s", c.settings())
	say("valid     from %s to %s", inUTC(c.IssuedAt), inUTC(c.ExpiresAt))
	say("versions  suite %s, contract %s", c.SuiteVersion, c.ContractVersion)
	say("based on  run %s of integration %s, SHA-256 of report.json %s", c.Run, c.Integration, c.ReportSHA256)
	return true, nil
}

// settings describes the settings that were tested in addition to the base URL.
func (s statement) settings() string {
	if s.AuthType == "" || s.Tickets == nil {
		return "auth_type and handles_ticket_delivery are not stated: an older certificate"
	}
	return fmt.Sprintf("auth_type %s, handles_ticket_delivery %t", s.AuthType, *s.Tickets)
}

func inUTC(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
