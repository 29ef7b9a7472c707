// Package apidocs shows an OpenAPI document in a browser, and lets readers send the described
// requests. It embeds Scalar, the file of an npm package. A page sends requests only to its own
// server, and its policy makes the browser enforce this.
package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/internal/webui"
)

// Page is a page that shows a document. Its references are relative to its own address, so that it
// may be served at any path.
type Page struct {
	Title    string
	Document string // URL of the document, as YAML
	Assets   string // URL of ServeAsset, with a trailing slash
	Server   string // URL of the API, to which readers can send requests; "": they cannot
	Links    []Link // to other pages, and to this one
	Open     bool   // shows the operations of every tag; otherwise only of the first. For short documents
}

// Head returns the beginning of the page.
func (p Page) Head() webui.Head {
	return webui.Head{Title: p.Title, Icon: icon, Sheets: []string{p.Assets + "page.css"}}
}

// icon is a sheet of text.
var icon = webui.Icon("M5 5h6M5 8h6M5 11h4", "1.5")

// Link is a link to a page.
type Link struct {
	Name, To string // To is empty for the page itself
}

// policy lets a page load and call only its own server, and run no inline script. Scalar adds its
// styles as elements and attributes, which is why inline styles are allowed: they come from its
// script and the service's own document, never from users.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

//go:embed page
var own embed.FS

var pageTemplate = sync.OnceValues(func() (*template.Template, error) { return webui.Templates(own, nil) })

// ServeHTTP answers with the page.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	parsed, err := pageTemplate()
	if err == nil {
		err = parsed.ExecuteTemplate(&text, "page.html", p)
	}
	if err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(text.Bytes()) // the caller may have disconnected
}

// asset is a file that pages load.
type asset struct {
	text   []byte
	packed bool // text is compressed by gzip
	tag    string
}

// assets are all files that pages load, by name.
var assets = sync.OnceValues(func() (map[string]asset, error) {
	found := map[string]asset{}
	for name, from := range map[string]fs.FS{
		"page/page.js": own, "page/page.css": own, "page/scalar.js.gz": own,
	} {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("read what pages load: %w", err)
		}
		sum := sha256.Sum256(text)
		plain, packed := strings.CutSuffix(path.Base(name), ".gz")
		found[plain] = asset{text: text, packed: packed, tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return found, nil
})

// ServeAsset serves a file that pages load, by its name. It reports whether the file exists;
// otherwise it writes nothing.
func ServeAsset(w http.ResponseWriter, r *http.Request, name string) (found bool, err error) {
	all, err := assets()
	if err != nil {
		return false, err
	}
	a, ok := all[name]
	if !ok {
		return false, nil
	}
	header := w.Header()
	header.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache") // cached, but revalidated by its tag
	header.Set("Vary", "Accept-Encoding")
	header.Set("Etag", a.tag)
	text := a.text
	switch {
	case a.packed && takesGzip(r):
		header.Set("Content-Encoding", "gzip")
		header.Set("Etag", strings.TrimSuffix(a.tag, `"`)+`-gz"`)
	case a.packed:
		if text, err = unpack(text); err != nil {
			return true, err
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return true, nil
}

// takesGzip reports whether a caller accepts gzip. Other callers get the plain file, which is
// always correct.
func takesGzip(r *http.Request) bool {
	codings := strings.ReplaceAll(r.Header.Get("Accept-Encoding"), " ", "")
	return strings.Contains(codings, "gzip") && !strings.Contains(codings, "gzip;q=0")
}

func unpack(text []byte) ([]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
}
