package traffic_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/internal/har"
)

// BenchmarkJudgeRecorded judges a recording of b.N calls, all of different bookings: exchanges a
// second, and the most memory. With -benchtime 1000000x the memory must be about the same as with
// 100000x.
func BenchmarkJudgeRecorded(b *testing.B) {
	name := filepath.Join(b.TempDir(), "recording.jsonl.gz")
	if err := writeTraffic(name, b.N); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	outcome, err := suite.JudgeRecorded(b.Context(), suite.Recorded{Files: []string{name}})
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range outcome.Result.Rules {
		if one.Outcome == report.Failed || one.Outcome == report.Warned {
			b.Fatalf("%s %s: %s", one.ID, one.Outcome, one.Message)
		}
	}
	if faults := outcome.Result.CallerFaults; len(faults) > 0 {
		b.Fatalf("the caller: %s", faults[0].Message)
	}
	b.ReportMetric(float64(outcome.Result.Coverage.Calls)/b.Elapsed().Seconds(), "exchanges/s")
	memory := &runtime.MemStats{}
	runtime.ReadMemStats(memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "most-MiB")
}

// writeTraffic writes a recording of a marketplace's calls to a partner with 10 options that keeps
// the contract: a pull every 1,000 calls, and between them checkouts of new bookings.
func writeTraffic(name string, calls int) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	packed, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(packed, 1<<20)
	s := &seller{at: time.Date(2026, 7, 1, 6, 0, 0, 0, time.UTC), out: json.NewEncoder(out), left: calls}
	for n := 0; s.left > 0; n++ {
		if n%300 == 0 {
			s.pull()
		}
		s.checkout(n)
	}
	if s.err != nil {
		return s.err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return packed.Close()
}

// seller writes calls, one after another.
type seller struct {
	at   time.Time
	out  *json.Encoder
	left int
	err  error
}

const sellersOptions = 10

func (s *seller) call(method, path, body, answer string) {
	if s.left--; s.left < 0 || s.err != nil {
		return
	}
	header := http.Header{"Authorization": {"Bearer [redacted]-1"}}
	entry := har.Entry{
		Started: s.at, Time: 20, Timings: har.Timings{Wait: 20},
		Request:  har.NewRequest(method, "https://partner.example"+path, "HTTP/1.1", header),
		Response: har.NewResponse(http.StatusOK, "HTTP/1.1", http.Header{"Content-Type": {"application/json"}}, har.Content{Size: int64(len(answer)), MIMEType: "application/json", Text: answer}),
	}
	if body != "" {
		entry.Request.PostData = &har.PostData{MIMEType: "application/json", Params: []har.Pair{}, Text: body}
	}
	s.err = s.out.Encode(entry)
	s.at = s.at.Add(50 * time.Millisecond)
}

func (s *seller) pull() {
	var products []string
	for n := range sellersOptions {
		products = append(products, fmt.Sprintf(`{"id":"tour-%d","internalName":"Tour %d","locale":"en","timeZone":"UTC","instantConfirmation":true,"options":[{"id":"tour-%d-a","internalName":"Morning","availabilityType":"START_TIME","units":[{"id":"unit-adult","internalName":"Adult","type":"ADULT","pricingFrom":[{"original":2500,"currency":"EUR"}]}]}]}`, n, n, n))
	}
	s.call(http.MethodGet, "/products", "", "["+strings.Join(products, ",")+"]")
	for n := range sellersOptions {
		s.slots(n, 0, 60)
	}
}

// slots asks for an option's slots between two days from today, both inclusive. There are two a
// day.
func (s *seller) slots(option, from, to int) {
	day := func(n int) string { return s.at.AddDate(0, 0, n).Format(time.DateOnly) }
	body := fmt.Sprintf(`{"productId":"tour-%d","optionId":"tour-%d-a","localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`, option, option, day(from), day(to))
	answer := "["
	for n := from; n <= to; n++ {
		for _, hour := range []int{9, 15} {
			if len(answer) > 1 {
				answer += ","
			}
			answer += fmt.Sprintf(`{"id":"%d-%s-%d","localDateTimeStart":"%sT%02d:00:00Z","localDateTimeEnd":"%sT%02d:30:00Z","status":"FREESALE"}`, option, day(n), hour, day(n), hour, day(n), hour+2)
		}
	}
	s.call(http.MethodPost, "/availability", body, answer+"]")
}

// checkout reserves a slot and books it or not. Every third booking is cancelled.
func (s *seller) checkout(n int) {
	option, day := n%sellersOptions, 3+n%50
	s.slots(option, day, day)
	code, id := fmt.Sprintf("hold-%d", n), fmt.Sprintf("booking-%d", n)
	s.call(http.MethodPost, "/bookings/reserve",
		fmt.Sprintf(`{"productId":"tour-%d","optionId":"tour-%d-a","availabilityId":"%d-%s-9","units":[{"id":"unit-adult","quantity":2}],"contact":{"fullName":"Guest %d","emailAddress":"guest-%d@example.com","phoneNumber":"+49 30 %d"},"resellerReference":"reference-%d"}`,
			option, option, option, s.at.AddDate(0, 0, day).Format(time.DateOnly), n, n, n, n),
		fmt.Sprintf(`{"reservationConfirmationCode":%q,"expiresAt":%q}`, code, s.at.Add(20*time.Minute).Format(time.RFC3339)))
	if n%4 == 0 {
		s.call(http.MethodDelete, "/bookings/"+code, fmt.Sprintf(`{"reservationConfirmationCode":%q}`, code), `{"success":true}`)
		return
	}
	s.call(http.MethodPost, "/bookings/confirm", fmt.Sprintf(`{"reservationConfirmationCode":%q,"resellerReference":"reference-%d"}`, code, n), fmt.Sprintf(`{"externalBookingId":%q,"status":"CONFIRMED"}`, id))
	if n%3 == 0 {
		s.call(http.MethodPost, "/bookings/"+id+"/cancel", `{"reason":"rain"}`, `{"success":true}`)
	}
}
