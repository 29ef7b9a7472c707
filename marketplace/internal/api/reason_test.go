package api_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
)

var update = flag.Bool("update", false, "write the table of error codes into the documents that show it")

// The document and the reseller guide have the same table of error codes as the code.
func TestTheDocumentsShowEveryErrorCode(t *testing.T) {
	t.Parallel()
	lines := []string{"| error_code | status | meaning | retry |", "|---|---|---|---|"}
	for _, row := range domain.Reasons() {
		lines = append(lines, fmt.Sprintf("| `%s` | %d | %s | %s |", row.Reason, row.Status, row.Meaning, row.Retry))
	}
	for path, indent := range map[string]string{"schemas/openapi/marketplace.yaml": "    ", "docs/reseller-guide.md": ""} {
		text := sourcetest.Read(t, path)
		before, rest, begins := strings.Cut(text, indent+"<!-- begin error codes -->\n")
		_, after, ends := strings.Cut(rest, indent+"<!-- end error codes -->\n")
		if !begins || !ends {
			t.Fatalf("%s: want a place for the error codes", path)
		}
		want := before + indent + "<!-- begin error codes -->\n" + indent + strings.Join(lines, "\n"+indent) + "\n" + indent + "<!-- end error codes -->\n" + after
		if *update {
			must(t, os.WriteFile(sourcetest.Path(path), []byte(want), 0o644))
		} else if want != text {
			t.Errorf("%s shows other error codes than the code: run go test ./marketplace/internal/api -run ErrorCode -update", path)
		}
	}
}

func TestTheSchemaListsEveryErrorCode(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(schemas.Files(), "reseller/error.schema.json")
	must(t, err)
	var schema struct {
		Properties struct {
			ErrorCode struct{ Enum []domain.Reason } `json:"error_code"`
		}
	}
	must(t, json.Unmarshal(text, &schema))
	var want []domain.Reason
	for _, row := range domain.Reasons() {
		want = append(want, row.Reason)
	}
	if got := schema.Properties.ErrorCode.Enum; !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}

// All kinds of invalid credentials get the same answer.
func TestEveryUnauthorizedAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	b := shared(t)
	webhook := "/api/v1/partner-integrations/0197c6f2-8d5e-7b3a-9c41-52e0f6a1d7b8/sync/trigger"
	var first answer
	for name, ask := range map[string]func() answer{
		"no credentials": func() answer { return b.do(t, "GET", "/api/v1/operator/accounts", "") },
		"another scheme": func() answer {
			return b.do(t, "GET", "/api/v1/operator/accounts", "", header{"Authorization", "Basic YTpi"})
		},
		"no token": func() answer {
			return b.do(t, "GET", "/api/v1/operator/accounts", "", header{"Authorization", "Bearer x.y.z"})
		},
		"a wrong API token": func() answer { return b.do(t, "GET", "/api/v1/resellers/activities", "", header{"X-Api-Token", "x"}) },
		"a wrong password": func() answer {
			return b.do(t, "POST", "/api/v1/auth/login", `{"email":"operator@example.com","password":"wrong"}`)
		},
		"no such account": func() answer {
			return b.do(t, "POST", "/api/v1/auth/login", `{"email":"x@example.com","password":"wrong"}`)
		},
		"no refresh token": func() answer { return b.do(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"x"}`) },
		"no integration":   func() answer { return b.do(t, "POST", webhook, "", header{"X-Webhook-Secret", "x"}) },
	} {
		a := ask()
		for _, of := range []string{"Date", "X-Request-Id"} {
			a.Header.Del(of)
		}
		if first.Response == nil {
			first = a
		}
		if a.StatusCode != 401 || string(a.body) != string(first.body) || fmt.Sprint(a.Header) != fmt.Sprint(first.Header) {
			t.Errorf("%s: want the same 401 as for others, got %d %v %s", name, a.StatusCode, a.Header, a.body)
		}
	}
}

// Every documented code must be used: a line of the service names it or its kind.
func TestEveryErrorCodeIsUsed(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	must(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, "domain/reason.go") { // the table itself is not a use
			_, usual, _ := strings.Cut(string(text), "var usual =")
			text = []byte(usual)
		}
		source.Write(text)
		return err
	}))
	names, err := os.ReadFile("../domain/reason.go")
	must(t, err)
	declared := regexp.MustCompile(`(?m)^\t(\w+) +Reason = "\w+"$`).FindAllStringSubmatch(string(names), -1)
	if len(declared) != len(domain.Reasons()) {
		t.Errorf("want a row for each of %d codes, got %d", len(declared), len(domain.Reasons()))
	}
	for _, name := range declared {
		if !regexp.MustCompile(`\b` + name[1] + `\b`).MatchString(source.String()) {
			t.Errorf("%s is not used", name[1])
		}
	}
}
