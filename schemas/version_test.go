package schemas_test

import (
	"regexp"
	"testing"

	"partnerkit.dev/schemas"
)

func TestTheContractsVersionIsTwelveHexadecimalDigitsAndStable(t *testing.T) {
	t.Parallel()
	version := schemas.ContractVersion()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(version) {
		t.Errorf("want twelve hexadecimal digits, got %q", version)
	}
	if again := schemas.ContractVersion(); again != version {
		t.Errorf("want %s again, got %s", version, again)
	}
}
