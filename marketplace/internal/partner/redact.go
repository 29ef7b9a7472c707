package partner

import (
	"errors"

	"partnerkit.dev/internal/redact"
	"partnerkit.dev/marketplace/internal/domain"
)

// redactKey returns the outcome without the partner's key. Partners' messages are stored and shown to
// resellers.
func (o Outcome) redactKey(key string) Outcome {
	if o.Err == nil && o.Message == "" {
		return o
	}
	clean := redact.New(key).Redact
	o.Message = clean(o.Message)
	if ours := (*domain.Error)(nil); errors.As(o.Err, &ours) {
		redacted := *ours
		redacted.Message = clean(redacted.Message)
		if redacted.Cause != nil {
			if cause := redacted.Cause.Error(); clean(cause) != cause {
				redacted.Cause = errors.New(clean(cause))
			}
		}
		o.Err = &redacted
	}
	return o
}

// withoutKey returns texts without the partner's key.
func withoutKey(key string, texts []string) []string {
	if len(texts) == 0 {
		return texts
	}
	redactor := redact.New(key)
	for i, text := range texts {
		texts[i] = redactor.Redact(text)
	}
	return texts
}
