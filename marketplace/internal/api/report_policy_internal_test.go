package api

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"partnerkit.dev/internal/webui"
)

func TestAReportRunsItsOwnScriptAndNoOther(t *testing.T) {
	t.Parallel()
	pages, err := webui.Templates(fstest.MapFS{"page/page.html": {Data: []byte(`{{template "head" .}}<body><meta http-equiv="Content-Security-Policy" content="script-src 'sha256-stranger'"></body>`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	style, script := webui.HashSource("own style"), webui.HashSource("own script")
	const always = "sandbox allow-scripts allow-popups; default-src 'none'; img-src data:"
	for policy, want := range map[string]string{
		"default-src 'none'; style-src " + style + "; script-src " + script + "; base-uri 'none'": always + "; style-src " + style + "; script-src " + script,
		"default-src 'none'; script-src 'unsafe-inline'":                                          always,
		"": always,
	} {
		var page, packed bytes.Buffer
		if err := pages.ExecuteTemplate(&page, "page.html", webui.Head{Title: "</title><script>", Policy: policy}); err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(page.Bytes())
		_ = w.Close()
		if got := reportPolicy(packed.Bytes()); got != want || strings.Contains(got, "unsafe") {
			t.Errorf("%s: expected %q, received %q in %s", policy, want, got, page.String())
		}
	}
	if got := reportPolicy([]byte("not compressed")); got != always {
		t.Errorf("Expected no script, received %q", got)
	}
}
