package judge

import (
	"fmt"
	"mime"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas"
)

// check says what is wrong with an answer, or "".
type check func(*probe.Answer) string

// expect finds the first check that an answer does not pass.
func expect(answer *probe.Answer, checks ...check) Finding {
	for _, wrong := range checks {
		if flaw := wrong(answer); flaw != "" {
			return broken("%s", flaw).showing(answer.Exchange)
		}
	}
	return Finding{Exchanges: []*probe.Exchange{answer.Exchange}}
}

// expectEach finds the first answer that does not pass the checks.
func expectEach(answers []*probe.Answer, checks ...check) (f Finding) {
	for _, answer := range answers {
		f = f.or(func() Finding { return expect(answer, checks...) })
	}
	return f
}

// heard expects that a call was answered, and the answer passes the checks.
func heard(h scenario.Heard, checks ...check) Finding {
	return Stopped(h.Stop).or(func() Finding { return expect(h.Answer, checks...) })
}

// status checks that it is one of these.
func status(statuses []int) check {
	return func(answer *probe.Answer) string {
		if answer.OK(statuses...) {
			return ""
		}
		return "want " + scenario.AnyOf(statuses) + ", got " + answer.Words()
	}
}

// fit checks that the body fits the schema.
func fit(schema string) check {
	return func(answer *probe.Answer) string {
		if problems := schemas.Validate(schema, answer.Raw); len(problems) > 0 {
			return problems[0].String()
		}
		return ""
	}
}

// succeed checks that the answer says success: true.
func succeed(answer *probe.Answer) string {
	switch success := discover.Object(answer.Raw)["success"]; success {
	case true:
		return ""
	case nil:
		return "success: want true, it is missing"
	default:
		return fmt.Sprintf("success: want true, got %v", success)
	}
}

// isJSONType reports whether a content type declares JSON (GEN-1).
func isJSONType(declared string) bool {
	media, _, err := mime.ParseMediaType(declared)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// sent returns the exchanges of the answers that came.
func sent(answers ...*probe.Answer) []*probe.Exchange {
	var exchanges []*probe.Exchange
	for _, answer := range answers {
		if answer != nil {
			exchanges = append(exchanges, answer.Exchange)
		}
	}
	return exchanges
}
