package console

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"partnerkit.dev/mockpartner/client"
)

// curlView is one curl command in the menu.
type curlView struct {
	ID    string // of the equivalent form
	About string
	Line  string
}

func curl(method, address, body string, token bool) string {
	line := "curl"
	if token {
		line += ` -H "Authorization: Bearer $MOCKPARTNER_CONTROL_TOKEN"`
	}
	if body == "" || method != http.MethodPost {
		line += " -X " + method
	}
	if body != "" {
		line += " --data-binary " + quoteShell(body)
	}
	return line + " " + quoteShell(address)
}

func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// maxInLine is the maximum body in a curl command, in bytes.
const maxInLine = 16 << 10

// repeatCommand returns the curl command that repeats the exchange's request.
func (b *builder) repeatCommand(e client.Exchange) string {
	key := strings.Replace(b.box.Credential().Form(), "<key>", "$MOCKPARTNER_AUTH_KEY", 1)
	line := `curl -H "Authorization: ` + key + `"`
	if kind := e.Request.Header.Get("Content-Type"); kind != "" {
		line += " -H " + quoteShell("Content-Type: "+kind)
	}
	if e.Method == http.MethodHead {
		line += " -I"
	} else if e.Method != http.MethodGet {
		line += " -X " + e.Method
	}
	switch body := string(e.Request.Body); {
	case len(body) > maxInLine, !utf8.ValidString(body):
		line += " --data-binary @body" // from a file, because a terminal cannot take it
	case body != "":
		line += " --data-binary " + quoteShell(body)
	}
	return line + " " + quoteShell(b.base()+e.Target)
}
