package client

import (
	"context"
	"net/http"
)

// Defect is a breach of the contract that a sandbox can have.
type Defect struct {
	Name    string `json:"name"`
	Rule    string `json:"rule"`    // the one rule that it breaks
	Mistake string `json:"mistake"` // the real mistake that it stands for
	Looks   string `json:"looks"`   // what it looks like from outside
	Applied bool   `json:"applied"`
}

// Variant is a lawful partner that a sandbox can be.
type Variant struct {
	Name    string `json:"name"`
	Clause  string `json:"clause"` // that allows it
	Looks   string `json:"looks"`  // what it looks like from outside
	Applied bool   `json:"applied"`
}

// Defects lists all defects, by name.
func (c *Client) Defects(ctx context.Context) ([]Defect, error) {
	answer, err := call[struct{ Defects []Defect }](ctx, c, http.MethodGet, "/defects", nil)
	return answer.Defects, err
}

// Have makes the sandbox a partner with the defect, HaveNot one without.
func (c *Client) Have(ctx context.Context, defect string) error {
	return do(ctx, c, http.MethodPost, path("defects", defect), nil)
}

// HaveNot takes a defect off.
func (c *Client) HaveNot(ctx context.Context, defect string) error {
	return do(ctx, c, http.MethodDelete, path("defects", defect), nil)
}

// Variants lists all variants, by name.
func (c *Client) Variants(ctx context.Context) ([]Variant, error) {
	answer, err := call[struct{ Variants []Variant }](ctx, c, http.MethodGet, "/variants", nil)
	return answer.Variants, err
}

// Be makes the sandbox a partner of the variant, BeNot one as before.
func (c *Client) Be(ctx context.Context, variant string) error {
	return do(ctx, c, http.MethodPost, path("variants", variant), nil)
}

// BeNot takes a variant off.
func (c *Client) BeNot(ctx context.Context, variant string) error {
	return do(ctx, c, http.MethodDelete, path("variants", variant), nil)
}
