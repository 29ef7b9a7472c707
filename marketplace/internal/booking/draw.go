package booking

import (
	"fmt"
	"strings"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Diagram draws the moves between states, for mermaid. What holds in every state is
// left to Listing.
func Diagram() string {
	var drawn strings.Builder
	drawn.WriteString("stateDiagram-v2\n")
	for _, row := range table {
		if row.From == anywhere || row.From == row.To && row.Ask == "" && row.Raises == "" {
			continue
		}
		from := string(row.From)
		if from == "" {
			from = "[*]"
		}
		if line := fmt.Sprintf("    %s --> %s: %s\n", from, row.To, row.On); !strings.Contains(drawn.String(), line) {
			drawn.WriteString(line)
		}
	}
	for _, last := range []marketplace.BookingStatus{marketplace.Refused, marketplace.Lost, marketplace.Released, marketplace.Confirmed, marketplace.Cancelled} {
		fmt.Fprintf(&drawn, "    %s --> [*]\n", last)
	}
	return drawn.String()
}

// Listing writes every row as one of a Markdown table.
func Listing() string {
	var drawn strings.Builder
	drawn.WriteString("| from | event | if | to | the partner is asked | attention |\n|---|---|---|---|---|---|\n")
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
		fmt.Fprintf(&drawn, "| %s | %s | %s | %s | %s | %s |\n", code(row.From), row.On, row.If.Says, to, row.Ask, strings.Join(attention, ", "))
	}
	return drawn.String()
}

// Laws writes the laws of bookings as a Markdown table.
func Laws() string {
	var drawn strings.Builder
	drawn.WriteString("| law | | because |\n|---|---|---|\n")
	for _, law := range marketplace.BookingLaws() {
		fmt.Fprintf(&drawn, "| %s | %s | %s |\n", law.ID, law.Says, law.Why)
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
