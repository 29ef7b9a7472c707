package twin

import (
	"encoding/json"

	"partnerkit.dev/internal/redact"
)

// secrets are texts that must not get into a scenario: keys, codes, booking ids, and what
// identifies guests.
type secrets struct {
	known     map[string]bool
	cleaned   map[string]string // cache of cleaned texts, many of which are equal
	redactors []*redact.Redactor
}

func newSecrets() *secrets { return &secrets{known: map[string]bool{}, cleaned: map[string]string{}} }

// mostSecrets is the maximum number of texts to search for.
const mostSecrets = 300

// shortestSecret is the minimum length of a secret, in bytes. Shorter ones occur in ordinary words.
const shortestSecret = 6

func (s *secrets) add(text string) {
	if len(text) < shortestSecret || s.known[text] || len(s.known) >= mostSecrets {
		return
	}
	s.known[text] = true
	clear(s.cleaned)
	s.redactors = append(s.redactors, redact.New(text))
}

// redactText returns the text without secrets, whatever their encoding.
func (s *secrets) redactText(text string) string {
	if len(text) < shortestSecret {
		return text
	}
	if done, ok := s.cleaned[text]; ok {
		return done
	}
	given := text
	for _, r := range s.redactors {
		text = r.Redact(text)
	}
	s.cleaned[given] = text
	return text
}

// cleanJSON removes secrets from all texts within a value, including names.
func (s *secrets) cleanJSON(value any) any {
	switch value := value.(type) {
	case string:
		return s.redactText(value)
	case json.Number:
		return json.Number(s.cleanNumber(string(value)))
	case []any:
		for i := range value {
			value[i] = s.cleanJSON(value[i])
		}
	case map[string]any:
		for name, inner := range value {
			if shown := s.redactText(name); shown != name {
				delete(value, name)
				name = shown
			}
			value[name] = s.cleanJSON(inner)
		}
	}
	return value
}

// cleanNumber hides a number that is a secret, such as a telephone number.
func (s *secrets) cleanNumber(number string) string {
	if s.redactText(number) != number {
		return "0"
	}
	return number
}

// leaks reports whether a finished text contains a secret outside of the fixed texts.
func (s *secrets) leaks(text []byte, fixed ...[]byte) bool {
	for _, r := range s.redactors {
		if r.Scanner(fixed...).Leaks(text) {
			return true
		}
	}
	return false
}
