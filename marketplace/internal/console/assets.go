package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/internal/webui"
)

var (
	//go:embed page/*.html
	files embed.FS
	//go:embed page/style.css
	ownStyle string
)

// asset is what every page is made of.
type asset struct {
	templates *template.Template
	style     []byte
	stylePath string // below root; it changes with the style
}

// icon is a basket.
var icon = webui.Icon("M4 6h8l-1 6H5zM6 6V5a2 2 0 0 1 4 0v1", "1.4")

// assets panics where the embedded files are wrong: the first test would.
var assets = sync.OnceValue(func() asset {
	style := []byte(webui.Style(ownStyle))
	sum := sha256.Sum256(style)
	path := "/style-" + hex.EncodeToString(sum[:6]) + ".css"
	functions := words()
	functions["head"] = func(page string) webui.Head {
		return webui.Head{Title: page + " · marketplace console", Icon: icon, Sheets: []string{root + path}}
	}
	return asset{template.Must(webui.Templates(files, functions)), style, path}
})

func stylePath() string { return assets().stylePath }

func showStyle(x *exchange) error {
	x.w.Header().Set("Content-Type", "text/css; charset=utf-8")
	x.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(x.w, x.r, "", time.Time{}, bytes.NewReader(assets().style))
	return nil
}
