package main

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A passage is a line of a text that people read.
type passage struct {
	text    string
	line    int
	message bool
}

// hasProse reports whether a file has text that is checked.
func hasProse(name string) bool {
	return slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".json", ".html", ".sh", ".txt", ".py", ".ts", ".proto", ".sql"}, path.Ext(name)) ||
		slices.Contains([]string{"Makefile", "Dockerfile", "run"}, path.Base(name))
}

// passages returns the text that people read in a file. In Go these are comments and strings, in
// Markdown the prose without code, and in other files every line.
func passages(name, text string) []passage {
	switch path.Ext(name) {
	case ".go":
		return ofGo(text, !strings.HasSuffix(name, "_test.go"))
	case ".md":
		return ofMarkdown(text)
	}
	return lines(text, 1, false)
}

func lines(text string, first int, message bool) (found []passage) {
	for line := range strings.Lines(text) {
		found = append(found, passage{line, first, message})
		first++
	}
	return found
}

func ofGo(text string, messages bool) (found []passage) {
	scan(text, func(line int, kind token.Token, literal string) {
		if kind == token.COMMENT || kind == token.STRING {
			found = append(found, lines(literal, line, messages && kind == token.STRING)...)
		}
	})
	return found
}

// notMessages matches strings of several words that users do not read: SQL statements, struct tags,
// and pieces of HTML and JSON.
var notMessages = regexp.MustCompile(`(?i)^\s*[<{]|^json:|^yaml:|\b(select .* from|insert into|update .* set|delete from|create (table|index)|alter table|with .* as \()`)

// messages returns the strings of Go code with three words or more, each in one line.
func messages(text string) (found []passage) {
	scan(text, func(line int, kind token.Token, literal string) {
		if kind != token.STRING {
			return
		}
		message, _ := strconv.Unquote(literal) // the compiler reports errors
		words := strings.Fields(message)
		if message = strings.Join(words, " "); len(words) >= 3 && !notMessages.MatchString(message) {
			found = append(found, passage{message, line, true})
		}
	})
	return found
}

func scan(text string, each func(line int, kind token.Token, literal string)) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments) // the compiler reports errors
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return
		}
		each(file.Line(at), kind, literal)
	}
}

var inlineCode = regexp.MustCompile("`[^`]*`")

func ofMarkdown(text string) (found []passage) {
	inCode := false
	for _, p := range lines(text, 1, false) {
		if strings.HasPrefix(strings.TrimSpace(p.text), "```") {
			inCode = !inCode
			continue
		}
		if !inCode {
			p.text = inlineCode.ReplaceAllString(p.text, "")
			found = append(found, p)
		}
	}
	return found
}
