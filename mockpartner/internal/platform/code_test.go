package platform

import (
	"strings"
	"testing"

	"partnerkit.dev/mockpartner/internal/catalog"
)

func TestCodesAreNeverUsedTwiceAndTheSeedsOwn(t *testing.T) {
	t.Parallel()
	for _, style := range []catalog.CodeStyle{catalog.PlainCodes, catalog.AwkwardCodes} {
		c := oneProduct()
		c.Codes = style
		d, twin := open(t, c), open(t, c)
		other := open(t, c)
		other.stock.seed++
		seen := map[string]bool{}
		differs := false
		for range 10_000 {
			code := d.life.issue("R")
			if seen[code] {
				t.Fatalf("%s: want a new code, got %q again", style, code)
			}
			seen[code] = true
			if again := twin.life.issue("R"); again != code {
				t.Fatalf("%s: want %q from the same seed, got %q", style, code, again)
			}
			differs = differs || other.life.issue("R") != code
		}
		if !differs {
			t.Fatalf("%s: want other codes from another seed", style)
		}
	}
}

func TestPlainCodesNeedNoEscaping(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	for range 1000 {
		if code := d.life.issue("R"); strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
			t.Fatalf("want letters, digits and dashes, got %q", code)
		}
	}
}

func TestAwkwardCodesHoldWhatClientsFallOver(t *testing.T) {
	t.Parallel()
	c := oneProduct()
	c.Codes = catalog.AwkwardCodes
	d := open(t, c)
	var codes []string
	for range 20 {
		codes = append(codes, d.life.issue("R"))
	}
	all := strings.Join(codes, "\n")
	for _, awkward := range []string{"/", "+", "%", " ", "東", "?", "#", "\n..\n", "\"", "../"} {
		if !strings.Contains(all, awkward) {
			t.Errorf("want a code with %q, got\n%s", awkward, all)
		}
	}
}
