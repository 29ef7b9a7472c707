package domain

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// Role says which part of the API an account may use.
type Role string

// The roles.
const (
	Reseller  Role = "reseller"  // reads the catalog and books
	Affiliate Role = "affiliate" // reads the catalog with affiliate links, and its commissions
	Partner   Role = "partner"   // registers integrations and sees its own
	Operator  Role = "operator"  // runs the marketplace
)

// Account is a sign-in of a person or a system.
type Account struct {
	ID           uuid.UUID
	Email        string // normalized by NormalEmail; unique
	Name         string
	Role         Role
	PasswordHash string // argon2id, with its parameters
	CreatedAt    time.Time
	DisabledAt   *time.Time // nil: not disabled
}

// NewAccount is a request for an account. Check validates it.
type NewAccount struct {
	Email    string `json:"email" validate:"required,max=254,email"`
	Password string `json:"password" validate:"required,min=10,max=1000,unguessable"` // a longer password is not safer and costs more to hash
	Role     Role   `json:"role" validate:"required,oneof=reseller affiliate partner operator"`
	Name     string `json:"name" validate:"max=200"`
}

// AccountChange lists an operator's changes to an account. A nil field is left unchanged.
type AccountChange struct {
	Name     *string `json:"name" validate:"omitempty,max=200"`
	Password *string `json:"password" validate:"omitempty,min=10,max=1000,unguessable"`
	Disabled *bool   `json:"disabled"` // true disables the account
}

// Invitation allows the owner of an address to create a partner's account, once.
type Invitation struct {
	ID        uuid.UUID
	Email     string // normalized by NormalEmail; unique
	Name      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewInvitation is a request for an invitation. Check validates it.
type NewInvitation struct {
	Email string `json:"email" validate:"required,max=254,email"`
	Name  string `json:"name" validate:"max=200"`
}

// NormalEmail returns the form in which an address is stored and looked up.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// APIToken is a long-lived token of a reseller. The token itself is shown once, when it is created.
type APIToken struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	Mode      Mode // "": a token from before modes existed; its requests choose
	CreatedAt time.Time
	RevokedAt *time.Time // nil: not revoked
}

// NewAPIToken is a request for a token.
type NewAPIToken struct {
	Name string `json:"name" validate:"required,max=200"`
	Mode Mode   `json:"mode" validate:"omitempty,oneof=live test"` // "": live
}
