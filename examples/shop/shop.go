package main

import (
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
)

//go:embed page
var files embed.FS

// policy lets the page load nothing from elsewhere, and run no script but its own.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// routes are what a customer may ask of the marketplace. Everything else, such as other customers'
// bookings and payments, stays with the server.
var routes = []string{
	"GET /api/v1/resellers/activities",
	"GET /api/v1/resellers/activities/{activity}",
	"GET /api/v1/resellers/activities/{activity}/calendar",
	"GET /api/v1/resellers/activities/{activity}/variations/{variation}/availability",
	"POST /api/v1/resellers/bookings",
	"GET /api/v1/resellers/bookings/{booking}",
	"DELETE /api/v1/resellers/bookings/{booking}",
	"POST /api/v1/resellers/bookings/{booking}/cancel",
}

// forwarded are the headers of a page's call that the marketplace receives.
var forwarded = []string{"Accept", "Content-Type", "Idempotency-Key", "If-None-Match"}

// maxBody is the maximum size of a call of the page, in bytes.
const maxBody = 64 << 10

// newShop returns the page with its scripts, and the calls that it may make.
func newShop(marketplace *url.URL, token string, client []byte) http.Handler {
	mux := http.NewServeMux()
	pages, _ := fs.Sub(files, "page") // the folder is embedded
	mux.Handle("GET /", http.FileServerFS(pages))
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /client.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(client)
	})
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(marketplace)
			r.Out.Header = http.Header{"X-Api-Token": {token}}
			for _, name := range forwarded {
				if values := r.In.Header.Values(name); len(values) > 0 {
					r.Out.Header[name] = values
				}
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, `{"success":0,"error":[],"message":"the shop does not reach the marketplace","code":502,"error_code":"partner_error","retry":false}`)
		},
	}
	for _, route := range routes {
		mux.Handle(route, proxy)
	}
	mux.HandleFunc("POST /pay/{booking}", func(w http.ResponseWriter, r *http.Request) { pay(proxy, w, r) })
	return secure(http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(mux, maxBody)))
}

var bookingID = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// pay stands for a payment provider, which would take the customer's money here. Only a server
// reports payments: a page that could do so would book without paying. The reference is that of the
// payment, so that one which is reported again counts once.
func pay(marketplace http.Handler, w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("booking")
	if !bookingID.MatchString(id) {
		http.NotFound(w, r)
		return
	}
	report := r.Clone(r.Context())
	report.URL.Path, report.URL.RawPath, report.URL.RawQuery = "/api/v1/resellers/bookings/"+id+"/payment", "", ""
	body := `{"outcome":"succeeded","reference":"card-` + id + `"}`
	report.Body, report.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	report.Header = http.Header{"Content-Type": {"application/json"}}
	marketplace.ServeHTTP(w, report)
}

// secure adds the headers that keep other sites and other scripts out.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
