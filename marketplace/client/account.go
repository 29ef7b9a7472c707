package client

import "time"

// Role says which part of the API an account may use.
type Role string

// The four roles.
const (
	ResellerRole  Role = "reseller"
	AffiliateRole Role = "affiliate"
	PartnerRole   Role = "partner"
	OperatorRole  Role = "operator"
)

// Account is a sign-in of a person or a system.
type Account struct {
	ID        string    `json:"_id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	CreatedAt time.Time `json:"created_at"`
	Disabled  bool      `json:"disabled"` // may not sign in
}

// AccountDetail is an account with its long-lived tokens.
type AccountDetail struct {
	Account
	APITokens []struct {
		ID        string    `json:"token_id"`
		Name      string    `json:"name"`
		Mode      string    `json:"mode"` // live or test; "": each request chooses
		CreatedAt time.Time `json:"created_at"`
		RevokedAt time.Time `json:"revoked_at"` // zero: not revoked
	} `json:"api_tokens"` // the newest first
}

// NewAccount describes an account to create.
type NewAccount struct {
	Email    string `json:"email"`
	Password Secret `json:"password"` // of 10 letters or more
	Role     Role   `json:"role"`
	Name     string `json:"name"` // for people
}

// AccountChange lists the changes to an account. A nil field is left unchanged.
type AccountChange struct {
	Name     *string `json:"name,omitempty"`
	Password *Secret `json:"password,omitempty"` // signs out every session
	Disabled *bool   `json:"disabled,omitempty"` // true disables the account
}

// MadeToken is a new long-lived token of a reseller.
type MadeToken struct {
	ID    string `json:"token_id"`
	Mode  string `json:"mode"`      // live or test
	Token Secret `json:"api_token"` // returned only once; pass it to APIToken
}
