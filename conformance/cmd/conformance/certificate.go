package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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

// authorityFlags says where the keys and the revocations are that verify certificates: each in a file or at a URL, or
// both at a marketplace.
type authorityFlags struct{ keys, revocations, registry string }

// verifyFile verifies the certificate in a file.
func (f authorityFlags) verifyFile(command *cobra.Command, path string) error {
	text, err := readAtMost(path, mostCertificate)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, fileerror.Reason(err))
	}
	by, err := f.authority(command.Context())
	if err != nil {
		return err
	}
	valid, err := by.show(command.OutOrStdout(), path, func() (statement, error) { return by.read(strings.TrimSpace(string(text)), time.Now()) })
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
func (f authorityFlags) authority(ctx context.Context) (a authority, err error) {
	if f.registry != "" {
		f.keys, f.revocations = addressIn(f.registry, "/.well-known/jwks.json"), addressIn(f.registry, "/registry/revocations.jws")
	}
	if a.keys, err = readKeys(ctx, f.flag("--key"), f.keys); err != nil || f.revocations == "" {
		return a, err
	}
	a.revoked, err = readRevocations(ctx, f.flag("--revocations"), f.revocations, a.keys, time.Now())
	return a, err
}

// flag returns the flag that says where something is read.
func (f authorityFlags) flag(own string) string {
	if f.registry != "" {
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
func (a authority) show(out io.Writer, where string, read func() (statement, error)) (valid bool, err error) {
	c, err := read()
	if invalid := errInvalid(""); errors.As(err, &invalid) {
		say(out, "not valid: %s", where)
		say(out, "  %s", invalid)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s %w", where, err)
	}
	say(out, "valid: %s", where)
	say(out, "states    %s: %s at %s", c.Verdict, c.Name, c.BaseURL)
	say(out, "settings  %s", c.settings())
	say(out, "valid     from %s to %s", inUTC(c.IssuedAt), inUTC(c.ExpiresAt))
	say(out, "versions  suite %s, contract %s", c.SuiteVersion, c.ContractVersion)
	say(out, "based on  run %s of integration %s, SHA-256 of report.json %s", c.Run, c.Integration, c.ReportSHA256)
	return true, nil
}

// settings describes the settings that were tested in addition to the base URL.
func (s statement) settings() string {
	if s.AuthType == "" || s.Tickets == nil {
		return "auth_type and handles_ticket_delivery are not stated: an older certificate"
	}
	return fmt.Sprintf("auth_type %s, handles_ticket_delivery %t", s.AuthType, *s.Tickets)
}

// revocationsType is the typ header of a signed list of revoked certificates.
const revocationsType = "conformance-revocations+jwt"

// mostRevocations is the largest list of revocations, in bytes.
const mostRevocations = 16 << 20

// revocation revokes every certificate of an integration that was issued in that second or before.
type revocation struct {
	Integration string `json:"sub"`
	Before      int64  `json:"before"` // in seconds since 1970
	Reason      string `json:"reason"`
}

// readRevocations reads a signed list of revocations from a file or a URL, which a flag gave. Without a list
// that is valid now, nothing can be verified.
func readRevocations(ctx context.Context, flag, from string, keys keySet, now time.Time) ([]revocation, error) {
	text, err := readSource(ctx, flag, from, mostRevocations)
	if err != nil {
		return nil, err
	}
	var list struct {
		IssuedAt  int64        `json:"iat"`
		ExpiresAt int64        `json:"exp"`
		Revoked   []revocation `json:"revoked"`
	}
	payload, err := readSigned(strings.TrimSpace(string(text)), revocationsType, "a list of revocations", keys)
	if err == nil && json.Unmarshal(payload, &list) != nil {
		err = errors.New("is not a list of revocations")
	}
	if err == nil {
		err = checkTime(list.IssuedAt, list.ExpiresAt, now)
	}
	if invalid := errInvalid(""); errors.As(err, &invalid) {
		err = fmt.Errorf("is not valid: %s", invalid)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot verify: %s %s %w", flag, from, err)
	}
	return list.Revoked, nil
}
