package domain

import (
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/go-playground/validator/v10"
)

const (
	// leastScore is the zxcvbn score that excludes common passwords and their usual variations.
	leastScore = 2
	// judgedPassword limits the judged part of a password, in bytes, because the cost is more than
	// quadratic.
	judgedPassword = 64
)

// isUnguessable reports whether a password is neither common nor based on a common one.
func isUnguessable(field validator.FieldLevel) bool {
	password := field.Field().String()
	if len(password) > judgedPassword {
		cut := judgedPassword
		for !utf8.RuneStart(password[cut]) {
			cut--
		}
		password = password[:cut]
	}
	return zxcvbn.PasswordStrength(password, nil).Score >= leastScore
}
