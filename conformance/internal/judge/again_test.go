package judge

import (
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
)

func TestAWrongKeyThatIsNotRefusedIsFoundByItsForm(t *testing.T) {
	t.Parallel()
	refused := scenario.KeyTry{Key: probe.ShorterKey, Number: 1, Answer: answer(401, "")}
	for _, test := range []struct {
		name           string
		try            scenario.KeyTry
		wrong, missing string // what the rules say; "": nothing
	}{
		{"a shorter key is taken", scenario.KeyTry{Key: probe.ShorterKey, Number: 1, Answer: answer(200, "[]")}, "the key without its last character", ""},
		{"a key in other case is forbidden", scenario.KeyTry{Key: probe.OtherCase, Number: 1, Answer: answer(403, "")}, "received 403", ""},
		{"a third try is taken", scenario.KeyTry{Key: probe.WrongKey, Number: 3, Answer: answer(200, "[]")}, "a wrong key, call 3 with it", ""},
		{"no key is taken on a new connection", scenario.KeyTry{Key: probe.NoKey, Number: 4, Fresh: true, Answer: answer(200, "[]")}, "", "on a new connection"},
		{"a key elsewhere is taken", scenario.KeyTry{Key: probe.OtherHeader, Number: 1, Answer: answer(200, "[]")}, "", "X-Api-Key"},
		{"all are refused", refused, "", ""},
	} {
		tries := scenario.KeyTries{refused, test.try}
		finds(t, test.name, keysRefused(tries, false), outcomeOf(test.wrong), test.wrong)
		finds(t, test.name, keysRefused(tries, true), outcomeOf(test.missing), test.missing)
	}
}

func outcomeOf(says string) report.Outcome {
	if says == "" {
		return ""
	}
	return report.Failed
}
