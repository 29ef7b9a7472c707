package view

import (
	"html"
	"strings"
	"unicode"
)

// marks are those that mean something to Markdown, as GitHub and GitLab read it.
const marks = "\\`*_{}[]()~|!$^#+-="

// noWidth is the mark that nobody sees.
const noWidth = "&#8203;"

// escaped writes a text so that Markdown shows it as it is, in one line: no
// markup, no HTML. A mark of no width keeps names, numbers and addresses from
// becoming mentions and links.
func escaped(s string) string {
	var b strings.Builder
	for i, char := range s {
		switch {
		case char == '<' || char == '>' || char == '&':
			b.WriteString(html.EscapeString(string(char)))
		case char == '@':
			b.WriteString("@" + noWidth)
		case strings.HasPrefix(s[i:], "://"), char == '.' && strings.EqualFold(s[max(0, i-3):i], "www"):
			b.WriteString(noWidth + string(char))
		case char == '#':
			b.WriteString("\\#" + noWidth)
		case strings.ContainsRune(marks, char):
			b.WriteString("\\" + string(char))
		default:
			b.WriteRune(visible(char))
		}
	}
	return b.String()
}

// unescaped undoes escaped.
func unescaped(s string) string {
	s = strings.ReplaceAll(s, noWidth, "")
	for _, mark := range marks {
		s = strings.ReplaceAll(s, "\\"+string(mark), string(mark))
	}
	return html.UnescapeString(s)
}

// longestCell is how many bytes of a partner's text stand in a line.
const longestCell = 400

// cell writes a text that may be a partner's as Markdown, cut.
func cell(s string) string { return escaped(shorten(s, longestCell)) }

// codeCell writes such a text as code in a line.
func codeCell(s string) string {
	s = strings.Map(visible, shorten(s, longestCell))
	fence := strings.Repeat("`", longestRun(s)+1)
	return fence + " " + strings.ReplaceAll(s, "|", "\\|") + " " + fence
}

// fenced writes a text as a block of code.
func fenced(language, s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	s = strings.Map(func(char rune) rune {
		if char == '\n' || char == '\t' {
			return char
		}
		return visible(char)
	}, s)
	return fence + language + "\n" + s + "\n" + fence + "\n\n"
}

// visible is a character as it can stand in a line: what would break or turn the
// line becomes a space.
func visible(char rune) rune {
	if unicode.In(char, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return char
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) (longest int) {
	run := 0
	for _, char := range s {
		if char != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
