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
	APITokens []Token `json:"api_tokens"` // the newest first
}

// Token is a long-lived token of a reseller, without its text.
type Token struct {
	ID        string    `json:"token_id"`
	Name      string    `json:"name"`
	Mode      string    `json:"mode" wire:"null"` // live or test; "": each request chooses
	CreatedAt time.Time `json:"created_at"`
	RevokedAt time.Time `json:"revoked_at" wire:"null"` // zero: not revoked
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

// Invitation invites a partner to create an account.
type Invitation struct {
	ID        string    `json:"invitation_id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// MadeInvitation is a new invitation.
type MadeInvitation struct {
	Invitation
	URL Secret `json:"url"` // of the page that accepts it; returned only once
}

// MadeToken is a new long-lived token of a reseller.
type MadeToken struct {
	Token Secret `json:"api_token"` // returned only once; pass it to APIToken
	Mode  string `json:"mode"`      // live or test
	ID    string `json:"token_id"`
}
