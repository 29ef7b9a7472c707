package booking

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/marketplace/internal/domain"
)

var update = flag.Bool("update", false, "rewrite docs/booking.md")

// page is the document with the diagrams.
const page = "docs/booking.md"

func TestThePageShowsTheTableThatTheServiceRunsOn(t *testing.T) {
	t.Parallel()
	text := sourcetest.Read(t, page)
	drawn := text
	for name, body := range map[string]string{
		"diagram": "```mermaid\n" + diagram() + "```\n",
		"table":   rows(),
		"laws":    invariants(),
	} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		before, rest, found := strings.Cut(drawn, begin)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("want %s and %s on the page", begin, end)
		}
		drawn = before + begin + body + end + after
	}
	if drawn == text {
		return
	}
	if !*update {
		t.Fatal("docs/booking.md shows another table: go test ./marketplace/booking -run ThePage -update")
	}
	errtest.Check(t, os.WriteFile(sourcetest.Path(page), []byte(drawn), 0o644))
}

// diagram draws the transitions from one state to another for mermaid, with an arrow for each two
// states. Transitions within a state are only in the table.
func diagram() string {
	type arrow struct{ from, to string }
	var arrows []arrow
	events := map[arrow][]string{}
	for _, row := range table {
		if row.From == anywhere || row.From == row.To {
			continue
		}
		a := arrow{cmp.Or(string(row.From), "[*]"), string(row.To)}
		if events[a] == nil {
			arrows = append(arrows, a)
		}
		if !slices.Contains(events[a], string(row.On)) {
			events[a] = append(events[a], string(row.On))
		}
	}
	var drawn strings.Builder
	drawn.WriteString("stateDiagram-v2\n")
	for _, a := range arrows {
		fmt.Fprintf(&drawn, "    %s --> %s: %s\n", a.from, a.to, strings.Join(events[a], "<br>"))
	}
	for _, last := range []domain.BookingStatus{domain.Refused, domain.Lost, domain.Released, domain.Confirmed, domain.Cancelled} {
		fmt.Fprintf(&drawn, "    %s --> [*]\n", last)
	}
	return drawn.String()
}

// rows writes every transition as a row of a Markdown table.
func rows() string {
	var drawn strings.Builder
	drawn.WriteString("| from | event | if | to | the partner is asked | attention | old booking |\n|---|---|---|---|---|---|---|\n")
	for _, row := range table {
		to := code(row.To)
		if row.Reason != "" {
			to += " (" + string(row.Reason) + ")"
		}
		var attention []string
		if row.Raises != "" {
			attention = append(attention, code(row.Raises))
		}
		for _, reason := range row.Settles {
			attention = append(attention, "ends "+code(reason))
		}
		fmt.Fprintf(&drawn, "| %s | %s | %s | %s | %s | %s | %s |\n", code(row.From), row.On, row.If.Says, to, row.Ask, strings.Join(attention, ", "), row.Old)
	}
	return drawn.String()
}

// invariants writes the invariants of bookings as a Markdown table.
func invariants() string {
	var drawn strings.Builder
	drawn.WriteString("| law | | because |\n|---|---|---|\n")
	for _, invariant := range domain.BookingInvariants() {
		fmt.Fprintf(&drawn, "| %s | %s | %s |\n", invariant.ID, invariant.Says, invariant.Why)
	}
	return drawn.String()
}

func code[T ~string](word T) string {
	switch word {
	case "":
		return ""
	case T(anywhere):
		return "any"
	}
	return "`" + string(word) + "`"
}
