// Package client calls the control API of a running mock partner, from a Go test or any other
// program.
//
//	partner, err := client.New("http://127.0.0.1:8081", client.Options{})
//	mine, err := partner.CreateSandbox(ctx, client.Spec{Name: "mine"})
//	box := partner.Sandbox(mine.Name)
//
//	// … let the code under test book at mine.BaseURL, then:
//	met, err := box.Journal.Wait(ctx, client.Filter{Endpoint: partnerapi.Release}, 1, 10*time.Second)
//	_, err = box.Clock.Advance(ctx, 25*time.Minute)
//
// A Client controls one sandbox; New returns a client for the sandbox at the root. The client's
// fields control the sandbox's clock, journal, faults and other parts. A refusal by the mock is an
// *Error.
package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Options configures a Client. All fields are optional.
type Options struct {
	Token string       // the mock's control token
	HTTP  *http.Client // nil means http.DefaultClient
}

// Client controls one sandbox of a mock. It is safe for concurrent use.
type Client struct {
	Catalog  Catalog
	Clock    Clock
	Defects  Choices // breaches of the contract
	Faults   Faults
	Journal  Journal
	Quirks   Quirks
	Slots    Slots
	Variants Choices // unusual behaviours that the contract allows
	Webhooks Webhooks

	sandbox *sandbox
}

const defaultSandbox = "default"

// New returns a client for the mock at that URL, such as http://127.0.0.1:8081.
func New(mock string, o Options) (*Client, error) {
	address, err := url.Parse(mock)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || address.RawQuery != "" {
		return nil, fmt.Errorf("mock: expected a URL such as http://127.0.0.1:8081, received %q", mock)
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	root := strings.TrimSuffix(mock, "/")
	return newClient(&sandbox{options: o, root: root, name: defaultSandbox, base: root}), nil
}

func newClient(s *sandbox) *Client {
	return &Client{
		sandbox:  s,
		Catalog:  Catalog{s},
		Clock:    Clock{s},
		Defects:  Choices{s, "defects"},
		Faults:   Faults{s},
		Journal:  Journal{s},
		Quirks:   Quirks{s},
		Slots:    Slots{s},
		Variants: Choices{s, "variants"},
		Webhooks: Webhooks{s},
	}
}

// Sandbox returns a client for the sandbox with that name, which need not exist yet.
func (c *Client) Sandbox(name string) *Client {
	s := *c.sandbox
	s.name, s.base = name, s.root
	if name != defaultSandbox {
		s.base += path("s", name)
	}
	return newClient(&s)
}

// BaseURL returns the base URL of the sandbox's partner endpoints.
func (c *Client) BaseURL() string { return c.sandbox.base }
