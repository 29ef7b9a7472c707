package client

import "log/slog"

// Secret is a text that is not printed: neither fmt nor slog show it. string(s) is the
// text itself, and so is its JSON.
type Secret string

const hidden = "[hidden]"

// String returns a word in its place.
func (Secret) String() string { return hidden }

// GoString returns a word in its place.
func (Secret) GoString() string { return hidden }

// LogValue returns a word in its place.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
