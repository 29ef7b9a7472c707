package probe

import "partnerkit.dev/internal/redact"

// Redacted stands where the key stood.
const Redacted = redact.Mark

// ellipsis marks where a text was cut short.
const ellipsis = "…"

// Redactor removes the partner's key from texts.
type Redactor struct{ *redact.Redactor }

// NewRedactor returns the redactor of key.
func NewRedactor(key string) *Redactor { return &Redactor{redact.New(key)} }
