package marketplace

import (
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/go-playground/validator/v10"
)

const (
	// leastScore is the zxcvbn score that rules out common passwords and their usual
	// variations.
	leastScore = 2
	// judgedPassword is how many bytes of a password are judged: what that costs grows
	// with more than the square of them.
	judgedPassword = 64
)

// isUnguessable reports whether a password is neither common nor made of a common one.
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
