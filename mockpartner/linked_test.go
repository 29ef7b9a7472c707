package mockpartner_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNoTestingIsLinkedIntoTheCommand: mocktest is for tests, and nothing else brings
// package testing or a browser.
func TestNoTestingIsLinkedIntoTheCommand(t *testing.T) {
	t.Parallel()
	text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/...", "./client").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range strings.Fields(string(text)) {
		if slices.Contains([]string{"testing", "net/http/httptest", "pgregory.net/rapid"}, name) || strings.HasPrefix(name, "github.com/chromedp/") {
			t.Errorf("want no %s in the command or the client", name)
		}
	}
}
