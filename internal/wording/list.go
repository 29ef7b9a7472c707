package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A word is a pattern that must not occur, and the better word.
type word struct {
	pattern *regexp.Regexp
	better  string
	message bool // only in messages: Go strings outside of tests
}

// An allowance permits a text in files whose path begins with a prefix.
type allowance struct{ prefix, text string }

type list struct {
	words   []word
	allowed []allowance
	skipped []string
}

// parseList reads a list with one entry per line; # begins a comment.
//
//	PATTERN => BETTER             a regular expression, for whole words in any case
//	message: PATTERN => BETTER    only in messages to users
//	allow: PREFIX: TEXT           TEXT is a name or a quotation in files below PREFIX
//	skip: PREFIX                  files below PREFIX are not checked
func parseList(text string) (list, error) {
	var l list
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "skip: "):
			l.skipped = append(l.skipped, strings.TrimPrefix(line, "skip: "))
			continue
		case strings.HasPrefix(line, "allow: "):
			prefix, text, found := strings.Cut(strings.TrimPrefix(line, "allow: "), ": ")
			if !found {
				return l, fmt.Errorf("%d: expected allow: PREFIX: TEXT", number)
			}
			l.allowed = append(l.allowed, allowance{prefix, text})
			continue
		}
		line, message := strings.CutPrefix(line, "message: ")
		pattern, better, found := strings.Cut(line, " => ")
		if !found || better == "" {
			return l, fmt.Errorf("%d: expected PATTERN => BETTER", number)
		}
		compiled, err := regexp.Compile(`(?i)\b(?:` + pattern + `)\b`)
		if err != nil {
			return l, fmt.Errorf("%d: %w", number, err)
		}
		l.words = append(l.words, word{compiled, better, message})
	}
	return l, nil
}

func (l list) skips(path string) bool {
	for _, prefix := range l.skipped {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// A finding is an occurrence of a word.
type finding struct {
	path, found, better string
	line                int
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %q: use %s", f.path, f.line, f.found, f.better)
}

// check finds the words in a file.
func (l list) check(path, text string) (found []finding) {
	for _, passage := range passages(path, text) {
		line := passage.text
		for _, a := range l.allowed {
			if strings.HasPrefix(path, a.prefix) {
				line = strings.ReplaceAll(line, a.text, "")
			}
		}
		for _, w := range l.words {
			if w.message && !passage.message {
				continue
			}
			for _, match := range w.pattern.FindAllString(line, -1) {
				found = append(found, finding{path, match, w.better, passage.line})
			}
		}
	}
	return found
}
