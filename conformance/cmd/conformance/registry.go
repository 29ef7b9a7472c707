package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
)

// revocationsType is the typ header of a signed list of revoked certificates.
const revocationsType = "conformance-revocations+jwt"

// The largest list of revocations and page of a registry, in bytes, and the number of entries on such a page.
const (
	mostRevocations = 16 << 20
	mostRegistry    = 4 << 20
	mostNamesakes   = 100
)

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

// registryPage is a page of a marketplace's registry of certified partners.
type registryPage struct {
	Success int `json:"success"`
	Data    []struct {
		Integration string `json:"integration_id"`
		Certificate string `json:"certificate"`
	} `json:"data"`
	Pagination struct {
		Next *string `json:"next_cursor"`
	} `json:"pagination"`
}

// verifyName verifies the certificates of the partners with a name in a registry.
func (v verification) verifyName(command *cobra.Command) error {
	by, err := v.authority(command.Context())
	if err != nil {
		return err
	}
	from := addressIn(v.registry, "/registry.json?"+url.Values{"name": {v.name}, "limit": {strconv.Itoa(mostNamesakes)}}.Encode())
	text, err := fetch(command.Context(), "--registry", from, mostRegistry)
	if err != nil {
		return err
	}
	var page registryPage
	if err := json.Unmarshal(text, &page); err != nil || page.Success != 1 {
		return fmt.Errorf("--registry %s is not the registry of a marketplace: expected the JSON of its certified partners", from)
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(command.OutOrStdout(), safetext.Line(fmt.Sprintf(format, args...)))
	}
	if len(page.Data) == 0 {
		say("not valid: no certified partner is named %q in the registry of %s", v.name, v.registry)
		return cli.Exit{Code: exitChanged}
	}
	allValid := true
	for _, entry := range page.Data {
		where := addressIn(v.registry, "/registry/"+url.PathEscape(entry.Integration)+"/certificate.jws")
		valid, err := by.show(command, where, func() (statement, error) {
			c, err := by.read(entry.Certificate, time.Now())
			switch {
			case err != nil:
			case c.Integration != entry.Integration:
				err = errInvalid("it states another integration: " + c.Integration)
			case !strings.EqualFold(c.Name, v.name):
				err = errInvalid("it states another name: " + c.Name)
			}
			return c, err
		})
		if err != nil {
			return err
		}
		allValid = allValid && valid
	}
	switch {
	case page.Pagination.Next != nil:
		say("More than %d partners have this name. Compare the addresses.", mostNamesakes)
	case len(page.Data) > 1:
		say("%d partners have this name. Compare the addresses.", len(page.Data))
	}
	if !allValid {
		return cli.Exit{Code: exitChanged}
	}
	return nil
}
