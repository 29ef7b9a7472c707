package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
)

func TestTheConformanceSuiteHasNothingToSayAgainstIt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", folder, "./cmd/conformance")
	build.Dir = "../../conformance"
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the suite: %v\n%s", err, output)
	}
	products, err := catalog()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(authorized(testKey, endpoints(newPlatform(products, time.Now))))
	defer server.Close()

	suite := exec.CommandContext(t.Context(), filepath.Join(folder, "conformance"),
		"run", "--base-url", server.URL, "--handles-ticket-delivery", "--report-dir", folder)
	suite.Env = append(os.Environ(), "CONFORMANCE_AUTH_KEY="+testKey)
	if output, err := suite.CombinedOutput(); err != nil {
		t.Errorf("want exit 0, got %v\n%s", err, output)
	}
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var result report.Result
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatal(err)
	}
	if result.Verdict != report.Conformant || result.Summary[report.Passed] < 60 {
		t.Errorf("want conformant with at least 60 rules passed, got %s with %v", result.Verdict, result.Summary)
	}
	for _, rule := range result.Rules {
		if rule.Outcome == report.Failed || rule.Outcome == report.Warned {
			t.Errorf("%s (%s) %s: %s", rule.ID, rule.Clause, rule.Outcome, rule.Message)
		}
	}
}
