package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
)

// The largest page of a registry, in bytes, and the number of entries on such a page.
const (
	mostRegistry  = 4 << 20
	mostNamesakes = 100
)

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
func (f authorityFlags) verifyName(command *cobra.Command, name string) error {
	by, err := f.authority(command.Context())
	if err != nil {
		return err
	}
	from := addressIn(f.registry, "/registry.json?"+url.Values{"name": {name}, "limit": {strconv.Itoa(mostNamesakes)}}.Encode())
	text, err := fetch(command.Context(), "--registry", from, mostRegistry)
	if err != nil {
		return err
	}
	var page registryPage
	if err := json.Unmarshal(text, &page); err != nil || page.Success != 1 {
		return fmt.Errorf("--registry %s is not the registry of a marketplace: expected the JSON of its certified partners", from)
	}
	out := command.OutOrStdout()
	if len(page.Data) == 0 {
		say(out, "not valid: no certified partner is named %q in the registry of %s", name, f.registry)
		return cli.Exit{Code: exitChanged}
	}
	allValid := true
	for _, entry := range page.Data {
		where := addressIn(f.registry, "/registry/"+url.PathEscape(entry.Integration)+"/certificate.jws")
		valid, err := by.show(out, where, func() (statement, error) {
			c, err := by.read(entry.Certificate, time.Now())
			switch {
			case err != nil:
			case c.Integration != entry.Integration:
				err = errInvalid("it states another integration: " + c.Integration)
			case !strings.EqualFold(c.Name, name):
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
		say(out, "More than %d partners have this name. Compare the addresses.", mostNamesakes)
	case len(page.Data) > 1:
		say(out, "%d partners have this name. Compare the addresses.", len(page.Data))
	}
	if !allValid {
		return cli.Exit{Code: exitChanged}
	}
	return nil
}
