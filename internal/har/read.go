package har

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/encoding/unicode"

	"partnerkit.dev/internal/bounded"
)

// Exchange is an entry that was read from an archive. What the archive does not tell is unknown, never
// empty. So are its bodies until Expand: few of the entries that are read ahead are decoded at a time.
type Exchange struct {
	Started      time.Time // zero if it is unknown
	Took         time.Duration
	Method       string
	URL          *url.URL    // nil if Address is not a URL
	Address      string      // as recorded
	Header       http.Header // nil if the recorder leaves out headers
	Body         []byte
	BodyCut      bool // the body is unknown, or only its beginning is known
	Status       int  // 0 if there was no answer
	AnswerHeader http.Header
	Answer       []byte
	AnswerCut    bool   // the answer's body is unknown, or only its beginning is known
	Cached       bool   // the answer is the client's own, for example from its cache
	Error        string // why there was no answer
	Unreadable   string // why the entry cannot be read; "" if it can
	BadInput     bool   // the recorder marked the request as invalid on purpose
	Stream       Stream

	packed *recorded // nil: the bodies are expanded
}

// recorded is what is read from an archive's entry.
type recorded struct {
	Started   string  `json:"startedDateTime"`
	Time      float64 `json:"time"`
	FromCache any     `json:"_fromCache"` // of Chrome
	FetchType string  `json:"_fetchType"` // of Safari
	BadInput  bool    `json:"_bad_input"` // of this project's suite
	Stream
	Request struct {
		Method   string       `json:"method"`
		URL      string       `json:"url"`
		Headers  []Pair       `json:"headers"`
		BodySize *float64     `json:"bodySize"`
		PostData recordedBody `json:"postData"`
	} `json:"request"`
	Response struct {
		Status     int          `json:"status"`
		StatusText string       `json:"statusText"`
		Headers    []Pair       `json:"headers"`
		BodySize   *float64     `json:"bodySize"`
		Content    recordedBody `json:"content"`
		Error      string       `json:"_error"`
		ByWorker   bool         `json:"_fetchedViaServiceWorker"`
	} `json:"response"`
}

// header returns recorded headers. media is the archive's own type of the body, for want of a header.
func header(pairs []Pair, media string) http.Header {
	all := http.Header{}
	for _, p := range pairs {
		if !strings.HasPrefix(p.Name, ":") { // pseudo-headers of HTTP/2, which browsers write
			all.Add(p.Name, p.Value)
		}
	}
	if all.Get("Content-Type") == "" && strings.Contains(media, "/") {
		all.Set("Content-Type", media)
	}
	return all
}

// exchange returns the entry's exchange.
func (e *recorded) exchange() *Exchange {
	sent, received := &e.Request, &e.Response
	x := &Exchange{
		Took:   time.Duration(max(0, e.Time) * float64(time.Millisecond)),
		Method: strings.ToUpper(sent.Method), Address: sent.URL, Status: received.Status, Error: received.Error, BadInput: e.BadInput, Stream: e.Stream,
	}
	var wrong error
	if x.Started, wrong = parseTime(e.Started); wrong != nil {
		x.Unreadable = wrong.Error()
	}
	if x.URL, wrong = url.Parse(sent.URL); wrong != nil {
		x.URL, x.Unreadable = nil, "request.url: expected a URL, received one that cannot be parsed"
	}
	if len(sent.Headers)+len(received.Headers) > 0 {
		x.Header, x.AnswerHeader = header(sent.Headers, sent.PostData.MIMEType), header(received.Headers, "")
	}
	if x.Status < 100 { // there was no answer
		x.Status = 0
	}
	x.packed, x.BodyCut, x.AnswerCut = e, true, x.Status != 0
	if x.Status == 0 {
		return x
	}
	from, _ := e.FromCache.(string)
	revalidated := x.Status == http.StatusNotModified && (x.Header.Get("If-None-Match") != "" || x.Header.Get("If-Modified-Since") != "")
	x.Cached = from != "" || e.FromCache == true || received.ByWorker || revalidated || received.StatusText == "Internal Redirect" ||
		e.FetchType != "" && e.FetchType != "Network Load"
	return x
}

// Expand decodes and decompresses the bodies, as far as they are within the limits. Others stay unknown.
func (x *Exchange) Expand(request, answer bounded.Limits) {
	e := x.packed
	if e == nil {
		return
	}
	x.packed = nil
	sent, received, whole := &e.Request, &e.Response, false
	x.Body, whole = sent.PostData.read(x.Header, request, sent.BodySize)
	x.BodyCut = !whole && x.Method != http.MethodGet && !(sent.PostData.isAbsent() && hasNoBody(sent.BodySize, x.Header))
	if x.Status != 0 {
		x.Answer, whole = received.Content.read(x.AnswerHeader, answer, received.BodySize, received.Content.Size)
		x.AnswerCut = !whole
	}
}

// Size returns how many bytes the bodies take at present.
func (x *Exchange) Size() int64 {
	n := int64(len(x.Body) + len(x.Answer))
	if x.packed != nil {
		n += x.packed.Request.PostData.size() + x.packed.Response.Content.size()
	}
	return n
}

// hasNoBody reports whether the headers of a request without a recorded body show that it had none.
func hasNoBody(size *float64, header http.Header) bool {
	return (size == nil || *size <= 0) && len(header) > 0 && header.Get("Content-Length") == "" && header.Get("Transfer-Encoding") == "" && header.Get("Content-Type") == ""
}

// layouts are the forms in which recorders write times. A time without an offset is unknown.
var layouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

func parseTime(text string) (at time.Time, err error) {
	given := strings.ToUpper(strings.TrimSpace(text))
	if len(given) > len(time.DateOnly) && given[len(time.DateOnly)] == ' ' {
		given = given[:len(time.DateOnly)] + "T" + given[len(time.DateOnly)+1:]
	}
	given = strings.ReplaceAll(given, " ", "")
	for _, layout := range layouts {
		if at, err = time.Parse(layout, given); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("startedDateTime: expected a time with its offset from UTC, such as 2026-07-01T12:00:00Z, received %.60q", text)
}

// entryLimits limits one entry. A catalog has at most 32 MiB, of which base64 makes 43. Browsers add fields.
var entryLimits = bounded.Limits{Bytes: 48 << 20, Depth: 1000, Values: 1_000_000}

var errNoRecording = errors.New("expected an HTTP archive (HAR), or its entries, one on each line")

// Read returns the exchanges of archives, or of their entries on separate lines, in order. An error ends
// the sequence.
func Read(from io.Reader) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) {
		text, err := decodeText(from)
		if err != nil {
			yield(nil, err)
			return
		}
		stream := bounded.NewStream(text, entryLimits)
		decoder := &decoder{json.NewDecoder(stream), stream}
		for more := true; more; more = decoder.More() {
			archive, err := readOne(decoder, yield)
			if err != nil {
				yield(nil, err)
				return
			}
			if !archive {
				return
			}
		}
	}
}

// decoder decodes values of a stream.
type decoder struct {
	*json.Decoder
	stream *bounded.Stream
}

// Decode decodes the next value.
func (d *decoder) Decode(into any) error {
	d.stream.Next()
	return d.Decoder.Decode(into)
}

// readOne reads one archive, or entries up to the end. It reports whether another archive may follow.
func readOne(decoder *decoder, yield func(*Exchange, error) bool) (more bool, err error) {
	depth, first, err := open(decoder)
	if err != nil {
		return false, err
	}
	if first != nil && !yield(first, nil) {
		return false, nil
	}
	for decoder.More() {
		x, err := readEntry(decoder.Decode)
		if depth == 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil // the writer was stopped within the last line
		}
		if err != nil {
			return false, fmt.Errorf("an entry cannot be read: %w", err)
		}
		if !yield(x, nil) {
			return false, nil
		}
	}
	if depth == 0 {
		return false, nil
	}
	if _, err := decoder.Token(); err != nil {
		return false, fmt.Errorf("the archive is truncated within its entries: %w", err)
	}
	for depth > 0 { // what follows the entries
		token, err := decoder.Token()
		switch {
		case err != nil:
			return false, nil
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
	}
	return true, nil
}

// readEntry decodes one entry. One that is JSON of another form is returned as unreadable.
func readEntry(decode func(any) error) (*Exchange, error) {
	e := &recorded{}
	err := decode(e)
	x := e.exchange()
	if other, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		x.Unreadable = fmt.Sprintf("%s: received a value of type %s, which the format does not allow", other.Field, other.Value)
		return x, nil
	}
	return x, err
}

// decodeText returns the text of a recording as UTF-8, without compression.
func decodeText(from io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(from)
	start, _ := buffered.Peek(3)
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) { // no text begins with this, and a file has no header that says so
		unpacked, err := bounded.Decompress("gzip", buffered)
		if err != nil {
			return nil, err
		}
		buffered = bufio.NewReader(unpacked)
		start, _ = buffered.Peek(3)
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")): // as some tools write
		_, _ = buffered.Discard(len("\xef\xbb\xbf"))
	case len(start) < 2:
	case start[0] == 0 || start[0] == 0xfe && start[1] == 0xff:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Reader(buffered), nil
	case start[1] == 0 || start[0] == 0xff && start[1] == 0xfe: // as the redirection of some shells writes
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(buffered), nil
	}
	return buffered, nil
}

// open moves the decoder to the entries of an archive, and returns how deep they are. If the file contains
// entries without an archive, depth is 0, and open returns the first entry.
func open(decoder *decoder) (depth int, first *Exchange, err error) {
	expect := func(want json.Delim) error {
		token, err := decoder.Token()
		if err == nil && token != want {
			err = errNoRecording
		}
		return err
	}
	if err := expect('{'); err != nil {
		return 0, nil, errNoRecording
	}
	depth = 1
	parts, size := map[string]json.RawMessage{}, 0
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return 0, nil, err
		}
		name, _ := token.(string)
		switch name {
		case "log":
			if err := expect('{'); err != nil {
				return 0, nil, err
			}
			depth++
		case "entries":
			return depth, nil, expect('[')
		default:
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				return 0, nil, err
			}
			if size += len(value); int64(size) > entryLimits.Bytes {
				return 0, nil, errNoRecording
			}
			parts[name] = value
		}
	}
	if err := expect('}'); err != nil || parts["request"] == nil {
		return 0, nil, errNoRecording
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return 0, nil, err
	}
	first, err = readEntry(func(into any) error { return json.Unmarshal(text, into) })
	return 0, first, err
}
