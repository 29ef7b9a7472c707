package booking_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/booking"
)

var update = flag.Bool("update", false, "write docs/booking.md anew")

// page is what the drawings stand in.
const page = "../../../docs/booking.md"

func TestThePageShowsTheTableThatTheServiceRunsOn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	drawn := string(text)
	for name, body := range map[string]string{
		"diagram": "```mermaid\n" + booking.Diagram() + "```\n",
		"table":   booking.Listing(),
		"laws":    booking.Laws(),
	} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		before, rest, found := strings.Cut(drawn, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("want %s and %s on the page", begin, end)
		}
		drawn = before + begin + body + end + after
	}
	if drawn == string(text) {
		return
	}
	if !*update {
		t.Fatal("docs/booking.md shows another table: go test ./marketplace/booking -run ThePage -update")
	}
	if err := os.WriteFile(page, []byte(drawn), 0o644); err != nil {
		t.Fatal(err)
	}
}
