package har

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Exchange is an entry that was read from an archive.
type Exchange struct {
	Started      time.Time
	Took         time.Duration
	Method       string
	URL          *url.URL
	Header       http.Header
	Body         []byte
	Status       int // 0 if there was no answer
	AnswerHeader http.Header
	Answer       []byte
	Cut          bool   // the recording has only the beginning of the answer
	Error        string // why there was no answer
	Stream       Stream
}

// recorded is what is read from an archive's entry.
type recorded struct {
	Started time.Time `json:"startedDateTime"`
	Time    float64   `json:"time"`
	Stream
	Request struct {
		Method   string `json:"method"`
		URL      string `json:"url"`
		Headers  []Pair `json:"headers"`
		PostData *struct {
			MIMEType string `json:"mimeType"`
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int    `json:"status"`
		Headers []Pair `json:"headers"`
		Content struct {
			Size     int64  `json:"size"`
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"content"`
		Error string `json:"_error"`
	} `json:"response"`
}

func headerOf(pairs []Pair) http.Header {
	header := http.Header{}
	for _, p := range pairs {
		if !strings.HasPrefix(p.Name, ":") { // pseudo-headers of HTTP/2, which browsers write
			header.Add(p.Name, p.Value)
		}
	}
	return header
}

// bodyOf returns a recorded body. It returns false if the body should be base64 but is not.
func bodyOf(text, encoding string) ([]byte, bool) {
	if encoding != "base64" {
		return []byte(text), true
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	return raw, err == nil
}

// exchange returns the entry's exchange. It returns false if the entry has no valid URL.
func (e *recorded) exchange() (*Exchange, bool) {
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		return nil, false
	}
	x := &Exchange{
		Started: e.Started, Took: time.Duration(max(0, e.Time) * float64(time.Millisecond)),
		Method: e.Request.Method, URL: u, Header: headerOf(e.Request.Headers), Status: e.Response.Status, Error: e.Response.Error,
		AnswerHeader: headerOf(e.Response.Headers), Stream: e.Stream,
	}
	if sent := e.Request.PostData; sent != nil {
		x.Body, _ = bodyOf(sent.Text, sent.Encoding)
		if x.Header.Get("Content-Type") == "" && sent.MIMEType != "" {
			x.Header.Set("Content-Type", sent.MIMEType)
		}
	}
	content, whole := e.Response.Content, false
	x.Answer, whole = bodyOf(content.Text, content.Encoding)
	x.Cut = !whole || content.Size > int64(len(x.Answer))
	if packed := bytes.HasPrefix(x.Answer, gzipMagic); packed && !x.Cut { // some recorders store bodies without decompressing them
		x.Answer, x.Cut = Unzip(x.Answer)
	}
	return x, true
}

var gzipMagic = []byte{0x1f, 0x8b}

// Unzip returns a body without its compression, and whether it is only the beginning.
func Unzip(packed []byte) (raw []byte, cut bool) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return packed, true
	}
	raw, err = io.ReadAll(io.LimitReader(reader, largestEntry))
	return raw, err != nil || len(raw) == largestEntry
}

// largestEntry is the maximum size of one entry, in bytes. A catalog has at most 32 MiB.
const largestEntry = 64 << 20

var errNoRecording = errors.New("expected an HTTP archive (HAR), or its entries, one on each line")

// Read returns the exchanges of an archive, or of its entries on separate lines, in order. An entry
// without a URL is nil. An error ends the sequence.
func Read(from io.Reader) iter.Seq2[*Exchange, error] {
	return func(yield func(*Exchange, error) bool) {
		for e, err := range entries(from) {
			if err != nil {
				yield(nil, err)
				return
			}
			x, _ := e.exchange()
			if !yield(x, nil) {
				return
			}
		}
	}
}

// entries reads the entries of one recording. An error ends the sequence.
func entries(from io.Reader) iter.Seq2[*recorded, error] {
	return func(yield func(*recorded, error) bool) {
		text, err := unpacked(from)
		if err != nil {
			yield(nil, err)
			return
		}
		decoder := json.NewDecoder(text)
		archive, first, err := open(decoder)
		if err != nil {
			yield(nil, err)
			return
		}
		if first != nil && !yield(first, nil) {
			return
		}
		for decoder.More() {
			e := &recorded{}
			err := decoder.Decode(e)
			if !archive && errors.Is(err, io.ErrUnexpectedEOF) {
				return // the writer was stopped within the last line
			}
			if err != nil {
				yield(nil, fmt.Errorf("an entry cannot be read: %w", err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if _, err := decoder.Token(); archive && err != nil {
			yield(nil, fmt.Errorf("the archive is truncated within its entries: %w", err))
		}
	}
}

func unpacked(from io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(from)
	if start, _ := buffered.Peek(3); bytes.HasPrefix(start, gzipMagic) {
		return gzip.NewReader(buffered)
	} else if bytes.HasPrefix(start, []byte("\xef\xbb\xbf")) { // as some tools write
		_, _ = buffered.Discard(len("\xef\xbb\xbf"))
	}
	return buffered, nil
}

// open moves the decoder to the entries of an archive. If the file contains entries without an
// archive, it returns the first entry.
func open(decoder *json.Decoder) (archive bool, first *recorded, err error) {
	expect := func(want json.Delim) error {
		token, err := decoder.Token()
		if err == nil && token != want {
			err = errNoRecording
		}
		return err
	}
	if err := expect('{'); err != nil {
		return false, nil, errNoRecording
	}
	parts := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return false, nil, err
		}
		name, _ := token.(string)
		switch name {
		case "log":
			if err := expect('{'); err != nil {
				return false, nil, err
			}
		case "entries":
			return true, nil, expect('[')
		default:
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				return false, nil, err
			}
			if len(value) > largestEntry {
				return false, nil, errNoRecording
			}
			parts[name] = value
		}
	}
	if err := expect('}'); err != nil || parts["request"] == nil {
		return false, nil, errNoRecording
	}
	text, err := json.Marshal(parts)
	first = &recorded{}
	if err == nil {
		err = json.Unmarshal(text, first)
	}
	return false, first, err
}
