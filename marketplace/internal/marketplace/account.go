package marketplace

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// Role says which surface an account may use.
type Role string

// The roles.
const (
	Reseller  Role = "reseller"  // reads the catalog, and books
	Affiliate Role = "affiliate" // reads the catalog with its own links, and its commissions
	Partner   Role = "partner"   // registers integrations, and sees its own
	Operator  Role = "operator"  // runs the marketplace
)

// Account is somebody who may sign in.
type Account struct {
	ID           uuid.UUID
	Email        string // as NormalEmail has it; unique
	Name         string
	Role         Role
	PasswordHash string // argon2id, with its parameters
	CreatedAt    time.Time
	DisabledAt   *time.Time // when it was disabled; nil if it may sign in
}

// NewAccount is what an account is made of; Check tells what is wrong with it.
type NewAccount struct {
	Email    string `json:"email" validate:"required,max=254,email"`
	Password string `json:"password" validate:"required,min=10,max=1000,unguessable"` // longer is no safer, and costs more to hash
	Role     Role   `json:"role" validate:"required,oneof=reseller affiliate partner operator"`
	Name     string `json:"name" validate:"max=200"`
}

// AccountChange lists an operator's changes to an account. A nil field is left unchanged.
type AccountChange struct {
	Name     *string `json:"name" validate:"omitempty,max=200"`
	Password *string `json:"password" validate:"omitempty,min=10,max=1000,unguessable"`
	Disabled *bool   `json:"disabled"` // true locks it out
}

// Invitation is an address whose owner may make an account of a partner, once.
type Invitation struct {
	ID        uuid.UUID
	Email     string // as NormalEmail has it; unique
	Name      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// NewInvitation is what an invitation is made of; Check tells what is wrong with it.
type NewInvitation struct {
	Email string `json:"email" validate:"required,max=254,email"`
	Name  string `json:"name" validate:"max=200"`
}

// NormalEmail is how an address is stored and looked up.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// APIToken is a long-lived token of a reseller. The token itself is shown once, when
// it is made.
type APIToken struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	Mode      Mode // "": a token from before there were modes; its requests name one
	CreatedAt time.Time
	RevokedAt *time.Time // nil: it is good
}

// NewAPIToken is what a token is made of.
type NewAPIToken struct {
	Name string `json:"name" validate:"required,max=200"`
	Mode Mode   `json:"mode" validate:"omitempty,oneof=live test"` // "": live
}
