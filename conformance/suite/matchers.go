package suite

import (
	"fmt"
	"mime"
	"strconv"
	"strings"

	"github.com/onsi/gomega/types"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
)

// haveStatus matches a whole answer with one of these statuses.
func haveStatus(statuses ...int) types.GomegaMatcher {
	return says(func(answer *probe.Answer) string {
		if answer.OK(statuses...) {
			return ""
		}
		return "want " + anyStatus(statuses) + ", got " + got(answer)
	})
}

func anyStatus(statuses []int) string {
	words := make([]string, len(statuses))
	for i, status := range statuses {
		words[i] = strconv.Itoa(status)
	}
	return strings.Join(words, " or ")
}

// got says what came instead of the answer that was wanted.
func got(answer *probe.Answer) string { return answer.Words() }

// fit matches an answer whose body fits the schema.
func fit(schema string) types.GomegaMatcher {
	return says(func(answer *probe.Answer) string {
		problems := schemas.Validate(schema, answer.Raw)
		if len(problems) == 0 {
			return ""
		}
		return problems[0].String()
	})
}

// beObject matches an answer whose body is a JSON object.
func beObject() types.GomegaMatcher { return says(noObject) }

// noObject says why an answer's body is no JSON object, or "".
func noObject(answer *probe.Answer) string {
	value, err := discover.Decode(answer.Raw)
	if err != nil {
		return "want a JSON object: " + err.Error()
	}
	if _, ok := value.(map[string]any); !ok {
		return "want a JSON object, got another JSON value"
	}
	return ""
}

// succeed matches an answer that says success: true.
func succeed() types.GomegaMatcher {
	return says(func(answer *probe.Answer) string {
		success := readObject(answer.Raw)["success"]
		if success == true {
			return ""
		}
		if success == nil {
			return "success: want true, it is missing"
		}
		return fmt.Sprintf("success: want true, got %v", success)
	})
}

// isJSONType reports whether a content type declares JSON (GEN-1).
func isJSONType(declared string) bool {
	media, _, err := mime.ParseMediaType(declared)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// succeedFor never matches; its failure message is the one given.
func succeedFor(message string) types.GomegaMatcher {
	return says(func(error) string { return message })
}

// says makes a matcher of a function that says what is wrong, or "". Gomega's
// own words ("Expected <int>: 500 to equal <int>: 401") are written for
// programmers at their own tests; a partner engineer is told what was wanted.
func says[T any](wrong func(T) string) types.GomegaMatcher { return &sentence[T]{wrong: wrong} }

type sentence[T any] struct {
	wrong   func(T) string
	message string
}

// Match implements types.GomegaMatcher.
func (s *sentence[T]) Match(actual any) (bool, error) {
	value, ok := actual.(T)
	if !ok {
		return false, fmt.Errorf("want a %T, got a %T", value, actual)
	}
	s.message = s.wrong(value)
	return s.message == "", nil
}

// FailureMessage implements types.GomegaMatcher.
func (s *sentence[T]) FailureMessage(any) string { return s.message }

// NegatedFailureMessage implements types.GomegaMatcher.
func (s *sentence[T]) NegatedFailureMessage(any) string { return "want anything else" }
