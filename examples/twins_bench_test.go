package examples_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// slow is a scenario of a partner whose endpoints take different times.
const slow = `answer_times: {products: 40ms, availability: 60ms, reserve: 150ms, confirm: 200ms, release: 90ms, cancel: 120ms}`

const (
	mostOff   = 0.20 // of the partner's time
	mostOffMS = 5.0
)

// BenchmarkTwinAnswerTimes compares the median answer times of twins with those of their partners, as
// the suite measures them: a slow mock, and the minimal partners. It reports the largest difference,
// and fails if an endpoint differs by more than a fifth and more than 5 ms. Nothing else should run
// beside it.
//
//	go test -run '^$' -bench TwinAnswerTimes -benchtime 1x .
func BenchmarkTwinAnswerTimes(b *testing.B) {
	bin := commands(b)
	partners := map[string]func(b *testing.B) string{
		"slow mock": func(b *testing.B) string {
			scenario := filepath.Join(b.TempDir(), "slow.yaml")
			check(b, os.WriteFile(scenario, []byte(slow), 0o600))
			return serveScenario(b, bin, scenario)
		},
		"go": func(b *testing.B) string {
			return serve(b, b.TempDir(), twinKey, "sh", "-c", `exec "$0" -addr 127.0.0.1:$PORT`, filepath.Join(bin, "minimal-partner"))
		},
	}
	for _, m := range minimalPartners {
		partners[m.language] = func(b *testing.B) string { return m.start(b, twinKey) }
	}
	if testing.Short() {
		partners = map[string]func(*testing.B) string{"go": partners["go"]}
	}
	for name, start := range partners {
		b.Run(name, func(b *testing.B) {
			address := start(b)
			var worst, share float64
			for b.Loop() {
				original := runSuite(b, bin, address, "")
				twin := filepath.Join(b.TempDir(), "twin.yaml")
				learn(b, bin, address, original.folder, twin)
				learned := runSuite(b, bin, serveScenario(b, bin, twin), "")
				for i, was := range original.result.Latency {
					is := learned.result.Latency[i]
					if was.Calls == 0 || is.Calls == 0 {
						continue
					}
					off := math.Abs(is.MedianMS - was.MedianMS)
					worst = max(worst, off)
					if off > mostOffMS {
						share = max(share, off/was.MedianMS)
					}
					b.Logf("%s: the partner %.1f ms, the twin %.1f ms", was.Endpoint, was.MedianMS, is.MedianMS)
					if !testing.Short() && off > mostOffMS && off > mostOff*was.MedianMS {
						b.Errorf("want at most %.0f ms or %.0f %% between them", mostOffMS, 100*mostOff)
					}
				}
			}
			b.ReportMetric(worst, "most-off-ms")
			b.ReportMetric(share, "most-off-share-beyond-5ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
