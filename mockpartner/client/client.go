// Package client calls the control API of a running mock partner: from a Go
// test, or from whatever else steers one.
//
//	partner, err := client.New("http://127.0.0.1:8081", client.Options{})
//	mine, err := partner.CreateSandbox(ctx, client.Spec{Name: "mine"})
//	box := partner.Sandbox(mine.Name)
//
//	// … let the code under test book at mine.BaseURL, then:
//	met, err := box.Journal.Wait(ctx, client.Filter{Endpoint: partnerapi.Release}, 1, 10*time.Second)
//	_, err = box.Clock.Advance(ctx, 25*time.Minute)
//
// A Client speaks to one sandbox; that of New to the one at the root. What a
// sandbox has lies in the client's fields: its clock, its journal, its faults. A
// refusal by the mock is an *Error.
package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Options say how to reach a mock. All of them may be left out.
type Options struct {
	Token string       // the mock's control token
	HTTP  *http.Client // nil means http.DefaultClient
}

// Client speaks to one sandbox of a mock. It is safe for concurrent use.
type Client struct {
	Catalog  Catalog
	Clock    Clock
	Defects  Choices // breaches of the contract
	Faults   Faults
	Journal  Journal
	Quirks   Quirks
	Slots    Slots
	Variants Choices // lawful partners that are unlike most
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

// Sandbox returns a client for the sandbox of that name, which need not be there
// yet.
func (c *Client) Sandbox(name string) *Client {
	s := *c.sandbox
	s.name, s.base = name, s.root
	if name != defaultSandbox {
		s.base += path("s", name)
	}
	return newClient(&s)
}

// BaseURL is where the sandbox's partner endpoints lie.
func (c *Client) BaseURL() string { return c.sandbox.base }
