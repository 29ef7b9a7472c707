package marketplace

import (
	"fmt"
	"net/mail"
	"slices"
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

// Roles lists every role.
func Roles() []Role { return []Role{Reseller, Affiliate, Partner, Operator} }

// Account is somebody who may sign in.
type Account struct {
	ID           uuid.UUID
	Email        string // in small letters; unique
	Name         string
	Role         Role
	PasswordHash string // argon2id, with its parameters
	CreatedAt    time.Time
}

// Bounds of an account's texts, in bytes.
const (
	MaxEmail         = 254 // RFC 5321
	MaxName          = 200
	ShortestPassword = 10
	LongestPassword  = 1000 // more is no safer, and costs more to hash
)

// NormalEmail is how an address is stored and looked up.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// CheckAccount returns every mistake in what an account is made of, as Invalid.
func CheckAccount(email, password string, role Role, name string) error {
	var wrong []string
	if address, err := mail.ParseAddress(email); err != nil || address.Address != email || len(email) > MaxEmail {
		wrong = append(wrong, "email: want an address such as ana@example.com")
	}
	if len(password) < ShortestPassword || len(password) > LongestPassword {
		wrong = append(wrong, fmt.Sprintf("password: want %d to %d bytes", ShortestPassword, LongestPassword))
	}
	if !slices.Contains(Roles(), role) {
		wrong = append(wrong, fmt.Sprintf("role: want one of %v, got %q", Roles(), role))
	}
	if len(name) > MaxName {
		wrong = append(wrong, fmt.Sprintf("name: want at most %d bytes", MaxName))
	}
	if len(wrong) > 0 {
		return &Error{Code: Invalid, Message: "the account is not as it should be", Details: wrong}
	}
	return nil
}

// APIToken is a long-lived token of a reseller. The token itself is shown once, when
// it is made.
type APIToken struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Name      string
	CreatedAt time.Time
	RevokedAt time.Time // zero: it is good
}
