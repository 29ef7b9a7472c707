package api_test

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"math/rand"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
)

// exchange sends a request and reads its answer with as little overhead as possible.
func exchange(conn net.Conn, in *bufio.Reader, request []byte, keep io.Writer) (status int, header http.Header, err error) {
	if _, err := conn.Write(request); err != nil {
		return 0, nil, err
	}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if len(line) == 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
		if keep != nil {
			if header == nil {
				header = http.Header{}
			}
			header.Add(string(name), string(bytes.TrimSpace(value)))
		}
	}
	if keep == nil {
		_, err = in.Discard(length)
		return status, nil, err
	}
	_, err = io.CopyN(keep, in, int64(length))
	return status, header, err
}

// get sends one request and returns the answer.
func get(tb testing.TB, address string, request []byte) (http.Header, []byte) {
	tb.Helper()
	conn, err := net.Dial("tcp", address)
	must(tb, err)
	defer conn.Close()
	var body bytes.Buffer
	status, header, err := exchange(conn, bufio.NewReader(conn), request, &body)
	if err != nil || status != http.StatusOK {
		tb.Fatalf("want a page, got %d and %v: %s", status, err, body.Bytes())
	}
	return header, body.Bytes()
}

// run is the result of a load.
type run struct {
	perSecond float64
	p99       time.Duration
}

const connections = 32

func loadTime() time.Duration { return time.Duration(benchsize.Choose(1000, 50)) * time.Millisecond }

// load sends randomly drawn requests on all connections for a while.
func load(tb testing.TB, address string, requests [][]byte, want int, lasts time.Duration) run {
	tb.Helper()
	var all sync.WaitGroup
	var over atomic.Bool
	taken := make([][]time.Duration, connections)
	began := time.Now()
	for i := range connections {
		all.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				tb.Error(err)
				return
			}
			defer conn.Close()
			in, random := bufio.NewReaderSize(conn, 64<<10), rand.New(rand.NewSource(int64(i)))
			zipf := rand.NewZipf(random, 1.1, 1, uint64(len(requests)/4-1))
			for !over.Load() {
				sent := time.Now()
				status, _, err := exchange(conn, in, requests[int(zipf.Uint64())*4+random.Intn(4)], nil)
				if err != nil || status != want {
					tb.Errorf("want %d, got %d and %v", want, status, err)
					return
				}
				taken[i] = append(taken[i], time.Since(sent))
			}
		})
	}
	time.AfterFunc(lasts, func() { over.Store(true) })
	all.Wait()
	lasted := time.Since(began)
	every := slices.Concat(taken...)
	slices.Sort(every)
	return run{perSecond: float64(len(every)) / lasted.Seconds(), p99: every[len(every)*99/100]}
}

func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
