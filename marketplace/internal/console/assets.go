package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"sync"

	"partnerkit.dev/internal/webui"
)

var (
	//go:embed page/*.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
	//go:embed page/script.js
	ownScript string
)

// asset contains the templates and files of all pages.
type asset struct {
	templates     *template.Template
	style, script file
}

// file is a file that pages load.
type file struct {
	path    string // below a site's root; contains a hash of the content
	kind    string
	content []byte
}

func newFile(name, ending, kind, content string) file {
	sum := sha256.Sum256([]byte(content))
	return file{"/" + name + "-" + hex.EncodeToString(sum[:6]) + ending, kind, []byte(content)}
}

// icon shows a basket.
var icon = webui.Icon("M4 6h8l-1 6H5zM6 6V5a2 2 0 0 1 4 0v1", "1.4")

// assets panics if the embedded files are invalid, which the tests would find.
var assets = sync.OnceValue(func() asset {
	return asset{
		template.Must(webui.Templates(files, words())),
		newFile("style", ".css", "text/css; charset=utf-8", webui.Style(ownStyle)),
		newFile("script", ".js", "text/javascript; charset=utf-8", webui.Script(ownScript)),
	}
})

func stylePath() string { return assets().style.path }

func showStyle(x *exchange) error { return x.file(assets().style) }

func scriptPath() string { return assets().script.path }

func showScript(x *exchange) error { return x.file(assets().script) }

// file serves an immutable file.
func (x *exchange) file(f file) error {
	x.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	webui.Send(x.w, x.r, http.StatusOK, f.kind, f.content)
	return nil
}
