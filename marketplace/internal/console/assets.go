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
	//go:embed page/live.js
	liveScript string
	//go:embed page/follow.js
	followScript string
	//go:embed page/keys.js
	keysScript string
	//go:embed page/prices.js
	pricesScript string
)

// asset contains the templates and files of all pages.
type asset struct {
	templates                               *template.Template
	style, live, follow, copy, keys, prices file
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
		newFile("live", ".js", "text/javascript; charset=utf-8", liveScript),
		newFile("follow", ".js", "text/javascript; charset=utf-8", followScript),
		newFile("copy", ".js", "text/javascript; charset=utf-8", webui.Script("")),
		newFile("keys", ".js", "text/javascript; charset=utf-8", keysScript),
		newFile("prices", ".js", "text/javascript; charset=utf-8", pricesScript),
	}
})

func stylePath() string { return assets().style.path }

func showStyle(x *exchange) error { return x.file(assets().style) }

func livePath() string { return assets().live.path }

func showLive(x *exchange) error { return x.file(assets().live) }

func followPath() string { return assets().follow.path }

func showFollow(x *exchange) error { return x.file(assets().follow) }

func copyPath() string { return assets().copy.path }

func showCopy(x *exchange) error { return x.file(assets().copy) }

func keysPath() string { return assets().keys.path }

func showKeys(x *exchange) error { return x.file(assets().keys) }

func pricesPath() string { return assets().prices.path }

func showPricesScript(x *exchange) error { return x.file(assets().prices) }

// file serves an immutable file.
func (x *exchange) file(f file) error {
	x.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	webui.Send(x.w, x.r, http.StatusOK, f.kind, f.content)
	return nil
}
