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
)

//go:embed page
var files embed.FS

// asset is what every page is made of.
type asset struct {
	templates *template.Template
	style     []byte
	stylePath string // below root; it changes with the style
}

// assets panics where the embedded files are wrong: the first test would.
var assets = sync.OnceValue(func() asset {
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(style)
	path := "/style-" + hex.EncodeToString(sum[:6]) + ".css"
	functions := words()
	functions["style"] = func() string { return root + path }
	return asset{template.Must(template.New("").Funcs(functions).ParseFS(files, "page/*.html")), style, path}
})

func stylePath() string { return assets().stylePath }

func showStyle(x *exchange) error {
	x.w.Header().Set("Content-Type", "text/css; charset=utf-8")
	x.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(x.w, x.r, "", time.Time{}, bytes.NewReader(assets().style))
	return nil
}
