package suite

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAFirstAnswerThatSuggestsAMistakeInTheSettingsIsToldSo(t *testing.T) {
	t.Parallel()
	answer := func(status int, header, value, body string) *report.Response {
		return &report.Response{Status: status, Header: http.Header{header: {value}}, Body: report.Body{Text: body}}
	}
	refused := answer(401, "", "", "")
	for _, test := range []struct {
		address, key string
		answer       *report.Response
		want         string
	}{
		{"https://p.example", "Bearer 123", refused, `the key begins with "Bearer "`},
		{"https://p.example", "'123'", refused, "the key is in quotation marks"},
		{"https://p.example", "123", refused, ""},
		{"https://p.example/products", "123", answer(404, "", "", ""), "--base-url ends in /products"},
		{"https://p.example/v1/availability", "123", answer(404, "", "", ""), "--base-url ends in /availability"},
		{"https://p.example/bookings/", "123", answer(404, "", "", ""), "--base-url ends in /bookings"},
		{"https://p.example/bookings/reserve", "123", answer(404, "", "", ""), "--base-url ends in /reserve"},
		{"https://p.example/v1", "123", answer(404, "", "", ""), ""},
		{"https://p.example/api/v1", "123", answer(404, "", "", `{"success":0,"error":["no such path"],"message":"no such path"}`), "the marketplace's own API"},
		{"https://p.example", "123", answer(200, "Content-Type", "text/html; charset=utf-8", ""), "the answer is a web page"},
		{"https://p.example", "123", answer(200, "", "", "\n<!doctype html>"), "the answer is a web page"},
		{"http://p.example", "123", answer(301, "Location", "https://p.example/products", ""), "redirects from http to https"},
		{"http://p.example", "123", answer(400, "", "", "Client sent an HTTP request to an HTTPS server."), "the server speaks TLS"},
	} {
		base, err := url.Parse(test.address)
		if err != nil {
			t.Fatal(err)
		}
		client := probe.NewClient(probe.Config{BaseURL: base, AuthKey: test.key})
		v := &report.RuleResult{Outcome: report.Failed, Message: "Expected 200", Exchanges: []report.Exchange{{
			Purpose: scenario.FirstPull, Endpoint: partnerapi.Products, Response: test.answer,
		}}}
		hints{Config{BaseURL: base, AuthKey: test.key}, client}.addTo(v)
		if hint := strings.TrimPrefix(v.Message, "Expected 200"); (test.want == "") != (hint == "") || !strings.Contains(hint, test.want) || strings.Contains(hint, "123") {
			t.Errorf("%s with %s: expected the hint %q, received %q", test.address, test.key, test.want, hint)
		}
	}
}
