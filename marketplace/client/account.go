package client

import "time"

// Role is which surface an account may use.
type Role string

// The four roles.
const (
	ResellerRole  Role = "reseller"
	AffiliateRole Role = "affiliate"
	PartnerRole   Role = "partner"
	OperatorRole  Role = "operator"
)

// Account is somebody who may sign in.
type Account struct {
	ID        string    `json:"_id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	CreatedAt time.Time `json:"created_at"`
	Disabled  bool      `json:"disabled"` // may not sign in
}

// AccountDetail is an account with the long-lived tokens that were made for it.
type AccountDetail struct {
	Account
	APITokens []TokenRecord `json:"api_tokens"` // the newest first
}

// TokenRecord is what is kept of a long-lived token; never the token itself.
type TokenRecord struct {
	ID        string    `json:"token_id"`
	Name      string    `json:"name"`
	Mode      string    `json:"mode"` // live or test; "": its requests choose
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at"` // zero: it is good
}

// NewAccount is an account to be made.
type NewAccount struct {
	Email    string `json:"email"`
	Password Secret `json:"password"` // of 10 letters or more
	Role     Role   `json:"role"`
	Name     string `json:"name"` // for people
}

// AccountChange lists the changes to an account. A nil field is left unchanged.
type AccountChange struct {
	Name     *string `json:"name,omitempty"`
	Password *Secret `json:"password,omitempty"` // it ends all sign-ins
	Disabled *bool   `json:"disabled,omitempty"` // true locks the account out
}

// MadeToken is a long-lived token of a reseller's.
type MadeToken struct {
	ID    string `json:"token_id"`
	Mode  string `json:"mode"`      // live or test
	Token Secret `json:"api_token"` // it is shown this once, and cannot be shown again: see APIToken
}
