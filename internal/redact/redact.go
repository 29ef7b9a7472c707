// Package redact removes a secret, such as a partner's key, from texts that are shown, logged or
// stored.
package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Mark replaces the key.
const Mark = "[redacted]"

const (
	// shortestCutKey is the minimum number of letters of the key that are removed where a text was
	// cut within the key.
	shortestCutKey = 4
	// shortestFragment is the minimum length of a part of the key that is removed, in bytes.
	shortestFragment = 10
	// longestFragment is the length from which every part of a key of usual length is removed.
	longestFragment = 16
	// ellipsis marks the end of a shortened text.
	ellipsis = "…"
)

// Redactor removes a key from text, in every encoding in which it may appear: unencoded, in base64
// at any alignment, or in hexadecimal. Each may be escaped for URLs, JSON, HTML or XML, once or
// several times, in either case. Long parts of the key are removed too.
type Redactor struct {
	forms  [][]byte
	starts starts
}

// New returns the redactor of the keys. Empty keys are ignored.
func New(keys ...string) *Redactor {
	r := &Redactor{}
	for _, key := range keys {
		r.forms = append(r.forms, formsOf(key)...)
	}
	for _, form := range r.forms {
		r.starts.add(form)
		for _, block := range blocks(form) {
			r.starts.add(block)
		}
	}
	return r
}

// Redact returns s without the key. If s was shortened within the key and ends with an ellipsis, it
// also removes the beginning of the key.
func (r *Redactor) Redact(s string) string {
	var found []span
	if len(r.forms) > 0 {
		for l := range layers(s, layersRedacted) {
			if r.starts.occurIn(l.text) {
				found = append(append(found, l.occurrences(r.forms)...), l.fragments(r.forms)...)
			}
			found = append(found, l.cutKeys(r.forms)...)
		}
	}
	if len(found) == 0 {
		return s
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out strings.Builder
	end := 0
	for _, span := range found {
		if span.from >= end {
			out.WriteString(s[end:span.from])
			out.WriteString(Mark)
		}
		end = max(end, span.to)
	}
	out.WriteString(s[end:])
	return out.String()
}

// Scanner returns a search for the key in finished documents. It omits forms of the key that occur
// in the documents' own fixed text (a key such as "products"), because finding them would prove
// nothing.
func (r *Redactor) Scanner(fixedText ...[]byte) *Scanner {
	unsearchable := make([]bool, len(r.forms))
	for _, text := range append(fixedText, []byte(Mark)) {
		for l := range unplaced(text).layers(layersSearched) {
			for i, form := range r.forms {
				unsearchable[i] = unsearchable[i] || bytes.Contains(l.text, form)
			}
		}
	}
	scanner := &Scanner{}
	for i, form := range r.forms {
		if !unsearchable[i] {
			scanner.forms = append(scanner.forms, form)
		}
	}
	return scanner
}

// Scanner searches documents for a key.
type Scanner struct{ forms [][]byte }

// Leaks reports whether b contains the key in any encoding.
func (s *Scanner) Leaks(b []byte) bool {
	if len(s.forms) == 0 {
		return false
	}
	for l := range unplaced(b).layers(layersSearched) {
		if slices.ContainsFunc(s.forms, func(form []byte) bool { return bytes.Contains(l.text, form) }) {
			return true
		}
	}
	return false
}

// occurrences returns where the layer contains one of the forms.
func (l layer) occurrences(forms [][]byte) []span {
	var found []span
	for _, form := range forms {
		for from := 0; ; from++ {
			at := bytes.Index(l.text[from:], form)
			if at < 0 {
				break
			}
			from += at
			found = append(found, l.span(from, from+len(form)))
		}
	}
	return found
}

// blocks divides a form. A long part of the form contains at least one of the blocks, each of which
// is half as long.
func blocks(form []byte) (all [][]byte) {
	size := (longFragment(len(form)) + 1) / 2
	for at := 0; at+size <= len(form); at += size {
		all = append(all, form[at:at+size])
	}
	return all
}

// fragments returns where the layer contains a long part of one of the forms.
func (l layer) fragments(forms [][]byte) []span {
	var found []span
	for _, form := range forms {
		least := longFragment(len(form))
		for i, block := range blocks(form) {
			size := len(block)
			at := i * size
			for next := 0; ; {
				hit := bytes.Index(l.text[next:], block)
				if hit < 0 {
					break
				}
				from, to := l.extend(next+hit, form, at, size)
				if to-from >= least {
					found = append(found, l.span(from, to))
				}
				next = max(next+hit+1, to-size+1)
			}
		}
	}
	return found
}

// longFragment returns the minimum length of a long part of a form of that length. It is long
// enough that a single word of a key made of words does not count. For a very long form it is
// larger, so that there are few blocks to search for.
func longFragment(length int) int {
	return max(shortestFragment, min(length*2/3, longestFragment), length/8)
}

// extend returns how far around a block at from the layer matches the form.
func (l layer) extend(from int, form []byte, at, size int) (int, int) {
	to, end := from+size, at+size
	for from > 0 && at > 0 && l.text[from-1] == form[at-1] {
		from, at = from-1, at-1
	}
	for to < len(l.text) && end < len(form) && l.text[to] == form[end] {
		to, end = to+1, end+1
	}
	return from, to
}

// cutKeys returns where the layer ends, before an ellipsis, with the beginning of one of the forms.
func (l layer) cutKeys(forms [][]byte) []span {
	var found []span
	for from := 0; ; {
		at := bytes.Index(l.text[from:], []byte(ellipsis))
		if at < 0 {
			return found
		}
		cut := len(bytes.TrimRight(l.text[:from+at], `"'\ `))
		longest := 0
		for _, form := range forms {
			longest = max(longest, overlap(l.text[:cut], form))
		}
		if longest >= shortestCutKey {
			found = append(found, l.span(cut-longest, cut))
		}
		from += at + len(ellipsis)
	}
}

// overlap returns how many of form's first bytes text ends with.
func overlap(text, form []byte) int {
	for n := min(len(text), len(form)-1); n > 0; n-- {
		if bytes.HasSuffix(text, form[:n]) {
			return n
		}
	}
	return 0
}
