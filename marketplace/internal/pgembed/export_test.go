//go:build unix

package pgembed

// LiteralPattern returns the pattern that only that path matches.
var LiteralPattern = literalPattern
