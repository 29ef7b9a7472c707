package main_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// echoes are ways in which servers, frameworks and proxies write down a header that
// they were sent. The redactor's own test has them all.
func echoes(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	return map[string]string{
		"unchanged":                  secret,
		"in base64 with its scheme":  base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)),
		"in hexadecimal, capitals":   strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"escaped for a query":        url.QueryEscape(secret),
		"escaped for URLs, twice":    url.QueryEscape(url.QueryEscape(secret)),
		"escaped for JSON":           strings.Trim(string(quoted), `"`),
		"escaped for HTML":           html.EscapeString(secret),
		"in quotes, as a log has it": fmt.Sprintf("%q", secret),
	}
}

// leakyPartner is a mock partner that sends its key to everyone, wherever a text can
// stand, and breaks rules everywhere, so that the texts become evidence.
type leakyPartner struct {
	mock   *mockpartner.Mock
	secret string
	prefix string // of the base URL's path
	all    string // all echoes
}

func (p leakyPartner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.URL.Path = strings.ReplaceAll(strings.TrimPrefix(r.URL.Path, p.prefix), p.secret+"/", "")
	r.URL.RawPath, r.RequestURI = "", ""
	r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(p.inJSON()+"/"), nil)))
	endpoint := partnerapi.EndpointOf(r)
	recorder := httptest.NewRecorder()
	p.mock.ServeHTTP(recorder, r)
	status, answer := p.talk(endpoint, recorder)

	w.Header().Set("Content-Type", "text/plain; key="+url.QueryEscape(p.secret))
	n := 0
	for _, echo := range echoes(p.secret) {
		n++
		w.Header().Set(fmt.Sprintf("X-Echo-%d", n), echo)
	}
	w.Header().Set("X-"+hex.EncodeToString([]byte(p.secret)), "in a header's name")
	w.Header().Set("Location", "https://partner.example/"+url.PathEscape(p.secret))
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// inJSON is the secret as our own encoder writes it into a request.
func (p leakyPartner) inJSON() string {
	quoted, _ := json.Marshal(p.secret)
	return strings.Trim(string(quoted), `"`)
}

// talk changes an answer of the mock's.
func (p leakyPartner) talk(endpoint partnerapi.Endpoint, recorder *httptest.ResponseRecorder) (int, []byte) {
	if recorder.Code/100 != 2 {
		answer, _ := json.Marshal(map[string]string{"message": p.all})
		return recorder.Code, answer
	}
	var answer any
	_ = json.Unmarshal(recorder.Body.Bytes(), &answer)
	switch endpoint {
	case partnerapi.Products:
		for i, product := range answer.([]any) {
			product := product.(map[string]any)
			product["id"] = fmt.Sprintf("%s/%s", p.secret, product["id"])
			// Messages show sixty letters of a wrong value: the key straddles the cut.
			product["locale"] = strings.Repeat("-", 60-len(p.secret)+3*i) + p.secret
			product["reference"], product["note"] = map[string]any{"key": p.all}, p.all
		}
	case partnerapi.Availability:
		for _, slot := range answer.([]any) {
			slot := slot.(map[string]any)
			slot["id"] = fmt.Sprintf("%s/%s", p.secret, slot["id"])
			slot["note"], slot["capacity"] = p.all, p.secret
		}
	case partnerapi.Reserve:
		object := answer.(map[string]any)
		object["reservationConfirmationCode"] = fmt.Sprintf("%s/%s", p.secret, object["reservationConfirmationCode"])
		object["note"] = p.all
	case partnerapi.Confirm:
		object := answer.(map[string]any)
		object["externalBookingId"] = fmt.Sprintf("%s/%s", p.secret, object["externalBookingId"])
		object["status"], object["productId"], object["uuid"] = p.secret, p.secret, 1
		object["note"] = p.all
	case partnerapi.Release:
		object := answer.(map[string]any)
		object["success"], object["message"] = p.all, p.all
	case partnerapi.Cancel:
		encoded, _ := json.Marshal(map[string]any{"message": p.all})
		return http.StatusFound, encoded
	}
	encoded, _ := json.Marshal(answer)
	return recorder.Code, encoded
}

func TestTheKeyIsNowhereWhateverThePartnerDoesWithIt(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		secret   string
		authType partnerapi.AuthType
	}{
		"base64":             {"pB+9/x7Zt0Yk3vQ/Wn5uA1==", partnerapi.Bearer},
		"every kind of sign": {`a/b+c=d&e<f>g"h'i\j 100%k;l`, partnerapi.APIKey},
		"words":              {"conformance-report-key", partnerapi.Bearer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secret, authType := of.secret, of.authType
			mock, err := mockpartner.New(mockpartner.Options{AuthKey: secret, AuthType: authType, Variants: []string{"one-product"}})
			if err != nil {
				t.Fatal(err)
			}
			partner := leakyPartner{mock: mock, secret: secret, prefix: "/" + secret}
			for how, echo := range echoes(secret) {
				partner.all += how + ": " + echo + "\n"
			}
			server := httptest.NewServer(partner)
			t.Cleanup(server.Close)
			run := func(more ...string) ran {
				return start(t, []string{probe.KeyVariable + "=" + secret}, append([]string{"run",
					"--base-url", server.URL + "/" + url.PathEscape(secret), "--auth-type", string(authType)}, more...)...).wait(t)
			}
			for _, planned := range [][]string{{"--plan"}, {"--plan", "--json"}} {
				plan := run(planned...)
				keyIsNowhere(t, fmt.Sprint(planned), plan.stdout+plan.stderr, secret)
			}
			r := run()
			if r.code != 1 || len(r.outcomes(report.Failed)) < 3 {
				t.Fatalf("want exit 1 and several findings, got exit %d and %q\n%s%s", r.code, r.outcomes(report.Failed), r.notPassed(), r.stderr)
			}
			documents := r.files(t)
			for _, name := range view.Names() {
				if documents[name] == "" {
					t.Fatalf("want %s written, got %s", name, r.stderr)
				}
			}
			documents["stdout"], documents["stderr"] = r.stdout, r.stderr
			for document, content := range documents {
				keyIsNowhere(t, document, content, secret)
			}
		})
	}
}

// keyIsNowhere looks for every echo in a document as it stands, and as a reader
// of Markdown, of JSON, of HTML or of XML sees it.
func keyIsNowhere(t *testing.T, document, content, secret string) {
	t.Helper()
	readings := []string{content, strings.ReplaceAll(content, `\`, ""), html.UnescapeString(content), html.UnescapeString(html.UnescapeString(content))}
	var value any
	if json.Unmarshal([]byte(content), &value) == nil {
		readings = append(readings, strings.Join(texts(value), "\n"))
	}
	for how, echo := range echoes(secret) {
		for _, reading := range readings {
			if at := strings.Index(reading, echo); at >= 0 {
				t.Errorf("want the key nowhere in %s, got it %s: …%s…", document, how, reading[max(0, at-80):min(len(reading), at+len(echo)+20)])
				break
			}
		}
	}
	// Half a key is a secret, too.
	if half := secret[:len(secret)*2/3]; strings.Contains(content, half) {
		at := strings.Index(content, half)
		t.Errorf("want no part of the key in %s, got …%s…", document, content[max(0, at-80):at+len(half)])
	}
}

// texts returns every text in a decoded JSON value, names too.
func texts(value any) []string {
	var all []string
	switch value := value.(type) {
	case string:
		all = append(all, value)
	case []any:
		for _, element := range value {
			all = append(all, texts(element)...)
		}
	case map[string]any:
		for name, element := range value {
			all = append(append(all, name), texts(element)...)
		}
	}
	return all
}
