package safetext_test

import (
	"strings"
	"testing"

	"partnerkit.dev/internal/safetext"
)

func TestATextOfAStrangerControlsNoTerminal(t *testing.T) {
	t.Parallel()
	const text = "Zoë 東京 \x1b[2J\x07\b\r\n\tx\u202egnp\u2066\u200f\u2028\u0085\x9b1m\x7f\u200b\x00end"
	const line = "Zoë 東京  [2J     x gnp    \ufffd1m   end"
	if got := safetext.Line(text); got != line {
		t.Errorf("Expected %q, received %q", line, got)
	}
	var out strings.Builder
	if n, err := (safetext.Writer{To: &out}).Write([]byte(text)); n != len(text) || err != nil || out.String() != safetext.Lines(text) {
		t.Errorf("Expected %d bytes, received %d, %v", len(text), n, err)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || strings.Count(got, "\t") != 1 || safetext.Line(got) != line {
		t.Errorf("Expected its line break and tab alone, received %q", got)
	}
}
