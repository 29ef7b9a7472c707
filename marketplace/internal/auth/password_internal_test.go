package auth

import (
	"testing"

	"github.com/alexedwards/argon2id"
)

func TestAnUnknownAccountCostsAsMuchTimeAsAPassword(t *testing.T) {
	t.Parallel()
	if got, _, _, err := argon2id.DecodeHash(decoy); err != nil || *got != parameters {
		t.Errorf("want the parameters %+v, got %+v and %v", parameters, got, err)
	}
}
