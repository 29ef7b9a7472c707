package mockpartner_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
)

func TestAnAnswerTakesAsLongAsTheScenarioSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, answersTakeAsLongAsTheScenarioSays)
}

func answersTakeAsLongAsTheScenarioSays(t *testing.T) {
	const long = time.Minute
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: "a-test-key", Scenario: &mockpartner.Scenario{Scenario: &script.Scenario{
		AnswerTimes: &script.AnswerTimes{Products: platform.Duration(long), Probe: 1},
	}}})
	check(t, err)
	took := func(target string) time.Duration {
		request := httptest.NewRequest(http.MethodGet, target, nil)
		request.Header.Set("Authorization", "Bearer a-test-key")
		began := time.Now()
		mock.ServeHTTP(httptest.NewRecorder(), request)
		return time.Since(began)
	}
	if pull := took("/products"); pull != long {
		t.Errorf("Expected an answer after %s, received it after %s", long, pull)
	}
	if probe := took("/products?limit=1"); probe != 1 {
		t.Errorf("Expected a probe to take its own time, received its answer after %s", probe)
	}
	mock.Close() // what waits is answered
	if pull := took("/products"); pull != 0 {
		t.Errorf("Expected no waiting once the mock is closed, received an answer after %s", pull)
	}
}
