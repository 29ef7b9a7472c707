package proxy_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/traffic/live"
	"partnerkit.dev/conformance/internal/traffic/proxy"
)

// serveProxy serves a proxy for an upstream, and returns its address.
func serveProxy(t testing.TB, upstream string, options live.Options) (address string, watcher *live.Watcher) {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	watcher = live.New(options)
	go watcher.Run(func(*live.Findings) {})
	passing := proxy.New(proxy.Config{Upstream: to, Watcher: watcher})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- passing.Serve(listener, nil) }()
	t.Cleanup(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		passing.Shutdown(done)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String(), watcher
}

// serveBytes is an upstream that reads one request of a connection as bytes, and answers with bytes.
func serveBytes(t *testing.T, answer string) (address string, received func() string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	requests := make(chan string, 10)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				reader := bufio.NewReader(connection)
				requests <- readRequest(reader)
				_, _ = io.WriteString(connection, answer)
			}()
		}
	}()
	return "http://" + listener.Addr().String(), func() string {
		select {
		case request := <-requests:
			return request
		case <-time.After(10 * time.Second):
			t.Fatal("Expected a request, received none")
			return ""
		}
	}
}

// readRequest reads a request as it was sent, its body by its length or its chunks.
func readRequest(from *bufio.Reader) string {
	var request strings.Builder
	length, chunked := 0, false
	for {
		line, err := from.ReadString('\n')
		request.WriteString(line)
		if err != nil || line == "\r\n" {
			break
		}
		_, _ = fmt.Sscanf(strings.ToLower(line), "content-length: %d", &length)
		chunked = chunked || strings.HasPrefix(strings.ToLower(line), "transfer-encoding: chunked")
	}
	if chunked {
		for !strings.HasSuffix(request.String(), "0\r\n\r\n") || strings.HasSuffix(request.String(), "chunked\r\n\r\n") {
			line, err := from.ReadString('\n')
			request.WriteString(line)
			if err != nil || line == "\r\n" && strings.Contains(request.String(), "\r\n0\r\n") {
				break
			}
		}
		return request.String()
	}
	body := make([]byte, length)
	_, _ = io.ReadFull(from, body)
	return request.String() + string(body)
}

// say sends bytes to an address, and returns all that comes back until the connection ends or
// the answer is over.
func say(t *testing.T, address, request string) string {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(connection, request)
	answer, _ := io.ReadAll(connection)
	return string(answer)
}

// fields are the headers of a message, in the order of their names, and their values in order.
func fields(message string) []string {
	head, _, _ := strings.Cut(message, "\r\n\r\n")
	var all []string
	for i, line := range strings.Split(head, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if name = strings.ToLower(name); i > 0 && name != "connection" && name != "host" {
			all = append(all, name+": "+strings.TrimSpace(value))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int {
		a, _, _ = strings.Cut(a, ":")
		b, _, _ = strings.Cut(b, ":")
		return strings.Compare(a, b)
	})
	return all
}

func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\r\n")
	return line
}

const bye = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]"

func TestARequestArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ base, line, headers, body string }{
		"no header is added":                {line: "GET /products"},
		"a query byte for byte":             {line: "GET /products?a=1&&b=%zz;c=%2f&a=2"},
		"a bare question mark":              {line: "GET /products?"},
		"an escaped slash":                  {line: "DELETE /bookings/a%2Fb%2fc%20d+e"},
		"dots":                              {line: "DELETE /bookings/%2E%2E"},
		"dots that look like a parent":      {line: "GET /a/../products/./x"},
		"two slashes first":                 {line: "GET //products//x"},
		"characters that few clients write": {line: "GET /pro|ducts/\"x\"/[y]?<z>"},
		"a base path":                       {base: "/partner/v2/", line: "DELETE /bookings/a%2Fb?x=%2F"},
		"an escaped base path":              {base: "/a%2Fb", line: "GET //products"},
		"another method":                    {line: "PURGE /products"},
		"headers that proxies add":          {line: "GET /products", headers: "X-Forwarded-For: 1.2.3.4\r\nForwarded: for=x\r\nVia: 1.0 a\r\nX-Forwarded-Proto: gopher\r\n"},
		"headers that clients set":          {line: "GET /products", headers: "User-Agent: me\r\nAccept-Encoding: br\r\nAuthorization: Bearer k\r\n"},
		"equal names in their order":        {line: "GET /products", headers: "X-A: 2\r\nX-A: 1\r\nX-A: 3\r\nCookie: b=1\r\nCookie: a=1\r\n"},
		"an empty value":                    {line: "GET /products", headers: "X-Empty:\r\nAuthorization:\r\n"},
		"a body":                            {line: "POST /availability", headers: "Content-Type: application/json\r\nContent-Length: 9\r\n", body: "{\"a\": 1 }"},
		"a body without a type":             {line: "POST /availability", headers: "Content-Length: 5\r\n", body: "\x00\xff\x1f\x8b\r"},
		"a body of a DELETE":                {line: "DELETE /bookings/x", headers: "Content-Type: application/json\r\nContent-Length: 2\r\n", body: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream, received := serveBytes(t, bye)
			address, _ := serveProxy(t, upstream+of.base, live.Options{})
			say(t, address, of.line+" HTTP/1.1\r\nHost: proxy.example\r\n"+of.headers+"Connection: close\r\n\r\n"+of.body)
			request := received()
			method, target, _ := strings.Cut(of.line, " ")
			if want := method + " " + strings.TrimSuffix(of.base, "/") + target + " HTTP/1.1"; firstLine(request) != want {
				t.Errorf("Expected %q, received %q", want, firstLine(request))
			}
			if want := fields("\r\n" + of.headers + "\r\n"); !slices.Equal(fields(request), slices.DeleteFunc(want, func(s string) bool { return s == ": " })) {
				t.Errorf("Expected the headers %q, received %q", want, fields(request))
			}
			if _, body, _ := strings.Cut(request, "\r\n\r\n"); body != of.body {
				t.Errorf("Expected the body %q, received %q", of.body, body)
			}
		})
	}
}

func TestAnAnswerArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(packer, "[]")
	_ = packer.Close()
	for name, of := range map[string]struct{ method, answer string }{
		"no Date and no Content-Type":    {answer: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"},
		"a Date of another time":         {answer: "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n"},
		"a Date in words":                {answer: "HTTP/1.1 200 OK\r\nDate: yesterday\r\nContent-Length: 0\r\n\r\n"},
		"equal names in their order":     {answer: "HTTP/1.1 201 Created\r\nSet-Cookie: b=1\r\nSet-Cookie: a=1\r\nX-A:\r\nContent-Type: text/x\r\nContent-Type: text/y\r\nContent-Length: 1\r\n\r\nx"},
		"gzip":                           {answer: fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", packed.Len(), packed.String())},
		"a body that is not gzip":        {answer: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnone"},
		"an answer to HEAD":              {method: "HEAD", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4711\r\nContent-Type: application/json\r\n\r\n"},
		"an answer to HEAD of no length": {method: "HEAD", answer: "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n"},
		"not modified":                   {answer: "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Type: application/json\r\nContent-Length: 4711\r\n\r\n"},
		"no content":                     {answer: "HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\n\r\n"},
		"a redirect":                     {answer: "HTTP/1.1 302 Found\r\nLocation: //elsewhere/%2F\r\nContent-Length: 0\r\n\r\n"},
		"a status of its own":            {answer: "HTTP/1.1 799 Odd\r\nContent-Length: 2\r\nVia: 1.1 x\r\nServer: s\r\n\r\n{}"},
		"early hints":                    {answer: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream, received := serveBytes(t, strings.Replace(of.answer, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1))
			address, _ := serveProxy(t, upstream, live.Options{})
			method := "GET"
			if of.method != "" {
				method = of.method
			}
			answer := say(t, address, method+" /products HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n")
			received()
			status, _, _ := strings.Cut(strings.TrimPrefix(firstLine(of.answer), "HTTP/1.1 "), " ")
			if !strings.HasPrefix(answer, "HTTP/1.1 "+status+" ") {
				t.Errorf("Expected status %s, received %q", status, firstLine(answer))
			}
			if !slices.Equal(fields(answer), fields(of.answer)) {
				t.Errorf("Expected the headers %q, received %q", fields(of.answer), fields(answer))
			}
			_, want, _ := strings.Cut(of.answer, "\r\n\r\n")
			_, body, _ := strings.Cut(answer, "\r\n\r\n")
			if name == "early hints" {
				if !slices.Equal(fields(body), fields(want)) {
					t.Errorf("Expected the headers %q behind the hints, received %q", fields(want), fields(body))
				}
				_, want, _ = strings.Cut(want, "\r\n\r\n")
				_, body, _ = strings.Cut(body, "\r\n\r\n")
			}
			if body != want {
				t.Errorf("Expected the body %q, received %q", want, body)
			}
		})
	}
}

func TestABodyWithoutALengthIsForwardedWithoutOne(t *testing.T) {
	t.Parallel()
	for _, chunks := range []string{"0\r\n\r\n", "1\r\n[\r\n1\r\n]\r\n0\r\n\r\n"} {
		upstream, received := serveBytes(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks)
		address, _ := serveProxy(t, upstream, live.Options{})
		answer := say(t, address, "GET /products HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		received()
		if want := []string{"transfer-encoding: chunked"}; !slices.Equal(fields(answer), want) {
			t.Errorf("Expected the headers %q, received %q", want, fields(answer))
		}
	}
}

func TestTrailersPassInBothDirections(t *testing.T) {
	t.Parallel()
	upstream, received := serveBytes(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\n[]\r\n0\r\nX-Sum: 7\r\nX-Other: 8\r\n\r\n")
	address, _ := serveProxy(t, upstream, live.Options{})
	answer := say(t, address, "POST /availability HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Check\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\nX-Check: 9\r\n\r\n")
	if request := received(); !strings.Contains(request, "0\r\nX-Check: 9\r\n") {
		t.Errorf("Expected the trailer of the request, received %q", request)
	}
	if !strings.Contains(answer, "X-Sum: 7\r\n") || !strings.Contains(answer, "X-Other: 8\r\n") {
		t.Errorf("Expected the trailers of the answer, received %q", answer)
	}
}

func TestAConnectionThatBreaksInTheAnswerBreaksForTheClient(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"by length":      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[{\"id\":",
		"by chunks":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[{\"id\r\n",
		"gzip, too long": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n\x1f\x8b\x08",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream, _ := serveBytes(t, answer)
			address, _ := serveProxy(t, upstream, live.Options{})
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			defer client.CloseIdleConnections()
			got, err := client.Get("http://" + address + "/products")
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if body, err := io.ReadAll(got.Body); err == nil || len(body) == 0 {
				t.Errorf("Expected the beginning of the body, and then an error, received %q, %v", body, err)
			}
		})
	}
}

func TestAPartnerThatAnswersNothingBreaksTheConnectionAndOneThatIsNotReachedIsA502(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"nothing": "", "no HTTP": "hello\r\n\r\n"} {
		upstream, received := serveBytes(t, answer)
		address, _ := serveProxy(t, upstream, live.Options{})
		if got := say(t, address, "GET /products HTTP/1.1\r\nHost: a\r\n\r\n"); got != "" {
			t.Errorf("%s: expected the connection to end, received %q", name, got)
		}
		received()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	address, _ := serveProxy(t, "http://"+listener.Addr().String(), live.Options{})
	if got := say(t, address, "GET /products HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
		t.Errorf("Expected 502, received %q", got)
	}
}

func TestPiecesOfAStreamPassAsTheyCome(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "6")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		for piece := range next {
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(upstream.Close)
	address, _ := serveProxy(t, upstream.URL, live.Options{})
	answer, err := http.Get("http://" + address + "/products") // it returns although no body has come
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for _, piece := range []string{"ab", "cd", "ef"} {
		next <- piece
		got := make([]byte, 2)
		if _, err := io.ReadFull(answer.Body, got); err != nil || string(got) != piece {
			t.Errorf("Expected %q before the next piece was sent, received %q, %v", piece, got, err)
		}
	}
	close(next)
}

func TestAClientThatGoesAwayEndsTheCallToThePartner(t *testing.T) {
	t.Parallel()
	arrived, ended := make(chan struct{}), make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(ended)
	}))
	t.Cleanup(upstream.Close)
	address, _ := serveProxy(t, upstream.URL, live.Options{})
	ctx, leave := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/availability", strings.NewReader("{}"))
	go func() {
		<-arrived
		leave()
	}()
	if _, err := http.DefaultClient.Do(request); err == nil {
		t.Error("Expected the client to have left")
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("Expected the call to the partner to end with the client's")
	}
}

func TestAClientsConnectionHasOneToThePartnerOfItsOwn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	from := map[string]int{}
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		from[r.RemoteAddr]++
	}))
	t.Cleanup(upstream.Close)
	address, _ := serveProxy(t, upstream.URL, live.Options{})
	for range 2 {
		client := &http.Client{Transport: &http.Transport{}}
		for range 3 {
			answer, err := client.Get("http://" + address + "/products")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		client.CloseIdleConnections()
	}
	mu.Lock()
	defer mu.Unlock()
	if len(from) != 2 {
		t.Errorf("Expected two connections of three calls each, received %v", from)
	}
}

func TestHTTP2PassesToAPartnerThatSpeaksIt(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %s", r.Proto, r.RequestURI)
		w.Header().Set("X-Sum", "7")
	}))
	upstream.EnableHTTP2 = true
	upstream.StartTLS()
	t.Cleanup(upstream.Close)
	to, _ := url.Parse(upstream.URL)
	watcher := live.New(live.Options{})
	go watcher.Run(func(*live.Findings) {})
	passing := proxy.New(proxy.Config{Upstream: to, Watcher: watcher, RootCAs: upstream.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- passing.Serve(listener, &upstream.TLS.Certificates[0]) }()
	answer, err := upstream.Client().Get("https://" + listener.Addr().String() + "/products?a=%2f")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if string(body) != "HTTP/2.0 /products?a=%2f" || answer.Proto != "HTTP/2.0" || answer.Trailer.Get("X-Sum") != "7" || answer.Header.Get("Content-Type") == "" {
		t.Errorf("Expected HTTP/2 in both directions, and the trailer, received %s, %q, %v, %v", answer.Proto, body, answer.Header, answer.Trailer)
	}
	upstream.Client().CloseIdleConnections()
	done, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	passing.Shutdown(done)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
