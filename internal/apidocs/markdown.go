package apidocs

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// writer leaves out raw HTML and links to scripts, as is its default.
var writer = goldmark.New(goldmark.WithExtensions(extension.Table))

// omitted is what the writer puts in the place of HTML, such as a comment.
var omitted = []byte("<!-- raw HTML omitted -->\n")

// markdown returns a description as HTML.
func markdown(text string) template.HTML {
	var html bytes.Buffer
	if err := writer.Convert([]byte(text), &html); err != nil {
		return template.HTML(template.HTMLEscapeString(text))
	}
	return template.HTML(bytes.ReplaceAll(html.Bytes(), omitted, nil))
}
