package main_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

// A hostile behaviour answers a request in a way that no partner may. What it
// breaks is named without its endpoint: "json" is products.json for products.
type hostile struct {
	name   string
	answer http.HandlerFunc
	breaks string
	once   bool // with the catalog only: elsewhere it is like another
	large  bool // it is judged in a process of its own, whose memory is measured
}

// mostBytes is the most memory that a run may take.
const mostBytes = 256 << 20

func hostiles() []hostile {
	return []hostile{
		{name: "answers with an endless first line", large: true, once: true, breaks: "status", answer: answerEndlessly("x")},
		{name: "answers with an endless header", large: true, once: true, breaks: "status", answer: answerEndlessly("HTTP/1.1 200 OK\r\n", "X-Header: and one more\r\n")},
		{name: "answers with half a header", once: true, breaks: "status", answer: answerBytes("HTTP/1.1 200 OK\r\nContent-Le")},
		{name: "declares 2 GB and sends zeros", large: true, breaks: "json", answer: declareLength(2 << 30)},
		{name: "sends zeros without an end", large: true, once: true, breaks: "json", answer: flood("\x00")},
		{name: "sends an array without an end", large: true, once: true, breaks: "json", answer: flood("[", "0,")},
		{name: "sends a text without an end", large: true, once: true, breaks: "json", answer: flood(`{"products":"`, "x")},
		{name: "sends a gzip bomb", large: true, once: true, breaks: "json", answer: bomb()},
		{name: "says gzip and sends none", once: true, breaks: "json", answer: answerEncoded("gzip", `[{"id":"1"}]`)},
		{name: "redirects to itself", once: true, breaks: "status", answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}},
		{name: "answers 500", breaks: "status", answer: text(http.StatusInternalServerError, "application/json", `{"message":"broken"}`)},
		{name: "answers 204", once: true, breaks: "status", answer: text(http.StatusNoContent, "", "")},
		{name: "answers a web page", breaks: "json", answer: text(http.StatusOK, "text/html", "<!doctype html><title>Welcome</title>")},
		{name: "answers nothing with 200", once: true, breaks: "json", answer: text(http.StatusOK, "application/json", "")},
		{name: "answers with bytes that are not UTF-8", once: true, breaks: "json", answer: text(http.StatusOK, "application/json", "[{\"id\":\"\xff\xfe\"}]")},
		{name: "nests 100,000 deep", large: true, breaks: "json", answer: text(http.StatusOK, "application/json", nestArrays(100_000))},
		{name: "nests 9,000 deep", once: true, breaks: "json", answer: text(http.StatusOK, "application/json", nestArrays(9_000))},
	}
}

// hostilesBesideCatalog are the behaviours that differ with another endpoint than the catalog.
func hostilesBesideCatalog() []hostile {
	return slices.DeleteFunc(hostiles(), func(h hostile) bool { return h.once })
}

func text(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func answerEncoded(encoding, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		_, _ = io.WriteString(w, body)
	}
}

// answerBytes writes these bytes in place of an answer, and closes the connection.
func answerBytes(bytes string) http.HandlerFunc {
	return hijackConnection(func(conn io.Writer) { _, _ = io.WriteString(conn, bytes) })
}

// answerEndlessly writes a beginning, and then the last part until the client disconnects.
func answerEndlessly(parts ...string) http.HandlerFunc {
	return hijackConnection(func(conn io.Writer) { pour(conn, parts...) })
}

func hijackConnection(speak func(io.Writer)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		speak(conn)
	}
}

// flood sends 200, a beginning, and then the last part until the client disconnects.
func flood(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { pour(w, parts...) }
}

func declareLength(size int64) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		pour(w, "\x00")
	}
}

// pour writes the parts, and the last one until it cannot be written any more.
func pour(w io.Writer, parts ...string) {
	last := len(parts) - 1
	_, err := io.WriteString(w, strings.Join(parts[:last], ""))
	block := []byte(strings.Repeat(parts[last], (64<<10)/len(parts[last])))
	for err == nil {
		_, err = w.Write(block)
	}
}

// bomb answers with 256 MB of spaces, which are 256 KB on the wire: one packed
// megabyte again and again, as gzip lets members follow each other.
func bomb() http.HandlerFunc {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), 1<<20))
	_ = zip.Close()
	return answerEncoded("gzip", strings.Repeat(packed.String(), 256))
}

func nestArrays(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestAPartnerWithAHostileCatalogIsOneFinding(t *testing.T) {
	t.Parallel()
	cases := append(hostiles(),
		hostile{name: "wants another key", breaks: "auth.accepted", answer: text(http.StatusUnauthorized, "application/json", "")},
		hostile{name: "forbids everything", breaks: "auth.accepted", answer: text(http.StatusForbidden, "application/json", "")},
	)
	for _, partner := range cases {
		t.Run(partner.name, func(t *testing.T) {
			t.Parallel()
			r := partner.judge(t, serve(t, partner.answer))
			r.hasOneFinding(t, "products."+partner.breaks, partnerapi.Products)
			for _, one := range r.rulesWithoutExploring() {
				switch one.Outcome {
				case report.Blocked, report.Failed, report.Passed, report.Warned:
				default:
					t.Errorf("want every other rule blocked, got %s %s: %s", one.Outcome, one.ID, one.Message)
				}
			}
		})
	}
}

// judge judges a partner that behaves like this.
func (h hostile) judge(t *testing.T, address string) ran {
	t.Helper()
	if !h.large {
		return judge(t, address)
	}
	p := startProcess(t, withKey(), "run", "--base-url", address, "--reports", "report.json")
	r := p.wait(t)
	p.staysSmall(t)
	return r
}

// hasOneFinding fails the test if the run found anything but the breach of one rule,
// shown on an exchange with the endpoint.
func (r ran) hasOneFinding(t *testing.T, id string, endpoint partnerapi.Endpoint) {
	t.Helper()
	if failed := r.outcomes(report.Failed); r.code != 1 || !slices.Equal(failed, []string{id}) {
		t.Fatalf("want exit 1 and %s as the one finding, got exit %d and %q\n%s", id, r.code, failed, r.notPassed())
	}
	finding := r.rule(t, id)
	if finding.Message == "" || len(finding.Exchanges) == 0 {
		t.Fatalf("want a finding with evidence, got %q and %d exchanges", finding.Message, len(finding.Exchanges))
	}
	if !slices.ContainsFunc(finding.Exchanges, func(x report.Exchange) bool { return x.Endpoint == endpoint && x.Curl != "" }) {
		t.Errorf("want an exchange with %s and its curl line, got %+v", endpoint, finding.Exchanges)
	}
	t.Logf("%s (%s)", finding.Message, r.took.Round(time.Millisecond))
}

// staysSmall fails the test if the run took too much memory.
func (p *process) staysSmall(t *testing.T) {
	t.Helper()
	if used := p.memory; used > mostBytes {
		t.Errorf("want less than %d MB of memory, got %d", mostBytes>>20, used>>20)
	} else {
		t.Logf("%d MB", used>>20)
	}
}

// stepIn answers in the mock's place.
func (h hostile) stepIn(_ http.Handler, w http.ResponseWriter, r *http.Request) {
	// The server learns that the client is gone once it has the body.
	_, _ = io.Copy(io.Discard, r.Body)
	h.answer(w, r)
}

func TestAPartnerWithOneHostileEndpointIsOneFinding(t *testing.T) {
	t.Parallel()
	for row, endpoint := range partnerapi.Endpoints()[1:] {
		for column, partner := range hostilesBesideCatalog() {
			if !isTried(row + column) {
				continue
			}
			t.Run(string(endpoint)+" "+partner.name, func(t *testing.T) {
				t.Parallel()
				r := partner.judge(t, serveChanged(t, newMock(t, mockpartner.Options{}), changeEndpoint(endpoint, partner.stepIn)))
				r.hasOneFinding(t, string(endpoint)+"."+partner.breaks, endpoint)
			})
		}
	}
}

// networkFault is a way of the mock partner in which an answer is not one, and what that breaks, named
// without its endpoint. It comes after the effect: what an endpoint does, it has done. Package suitetest
// tests answers that come too late.
type networkFault struct {
	name, action, breaks string
}

var networkFaults = []networkFault{
	{name: "closes the connection without a byte", action: "fault: EMPTY_RESPONSE", breaks: "status"},
	{name: "resets the connection", action: "fault: CONNECTION_RESET_BY_PEER", breaks: "status"},
	{name: "sends random bytes", action: "fault: RANDOM_DATA_THEN_CLOSE", breaks: "status"},
	{name: "sends a malformed chunk", action: "fault: MALFORMED_RESPONSE_CHUNK", breaks: "json"},
	{name: "cuts the answer short", action: "limit_data: {bytes: 1}", breaks: "json"},
}

func TestEveryNetworkFaultOnEveryEndpointIsOneFindingWithinTheRunsTime(t *testing.T) {
	t.Parallel()
	for row, endpoint := range partnerapi.Endpoints() {
		for column, network := range networkFaults {
			if !isTried(row + column) {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", endpoint, network.name), func(t *testing.T) {
				t.Parallel()
				scenario, err := mockpartner.ParseScenario("fault.yaml", fmt.Appendf(nil,
					"faults:\n  - match: {endpoint: %s}\n    when: after\n    %s\n", endpoint, network.action))
				if err != nil {
					t.Fatal(err)
				}
				_, address := startMock(t, mockpartner.Options{Variants: []string{"one-product"}, Scenario: scenario})
				r := judge(t, address)
				r.hasOneFinding(t, string(endpoint)+"."+network.breaks, endpoint)
			})
		}
	}
}
