package api_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// BenchmarkBodyOfAStranger sends the most expensive kinds of bodies of 1 MiB to a call that
// needs no sign-in, and compares the time with json.Valid of the same body in the same run.
//
//	go test -run '^$' -bench BodyOfAStranger -benchtime 1x ./internal/api
func BenchmarkBodyOfAStranger(b *testing.B) {
	s := setup(b)
	for what, body := range costlyBodies() {
		b.Run(what, func(b *testing.B) {
			var ours, plain []float64
			for b.Loop() {
				for range 2*rounds() + 1 {
					began := time.Now()
					json.Valid([]byte(body))
					plain = append(plain, time.Since(began).Seconds())
					began = time.Now()
					if a := s.do(b, http.MethodPost, "/api/v1/auth/login", body); a.StatusCode != http.StatusBadRequest {
						b.Fatalf("want 400, got %d", a.StatusCode)
					}
					ours = append(ours, time.Since(began).Seconds())
				}
			}
			b.ReportMetric(median(ours)*1000, "ms")
			b.ReportMetric(median(ours)/median(plain), "x-of-valid")
			b.ReportMetric(0, "ns/op")
		})
	}
}
