package twin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/script"
)

// scenarioWriter is a scenario that is being written.
type scenarioWriter struct {
	*learner
	products []product
	times    []answerTime
	conduct  conduct
	quirks   []quirk
	faults   []learnedFault

	text bytes.Buffer
}

// ownWords are the words that every scenario contains. A key equal to such a word does not count as
// leaked.
const ownWords = `answer_times: catalog: products: probe: availability: reserve: confirm: release: cancel:
id internalName locale timeZone instantConfirmation allowFreesale reference updatedAt options units schedules
availabilityType cancellationCutoff pricingFrom original currency currencyPrecision restrictions minAge maxAge minUnits maxUnits
limitedAt hideVacancies freesale cutOff calendar capacity closed weekdays Monday Tuesday Wednesday Thursday Friday Saturday Sunday
ADULT CHILD INFANT SENIOR STUDENT START_TIME OPENING_HOURS unit-adult unit-child unit-infant unit-senior`

// errLeak reports that a secret would have got into the file. It cannot happen unless cleaning
// failed: everything that is copied is cleaned first.
var errLeak = errors.New("the scenario would hold a key or a guest's data: nothing was written")

// write renders the scenario, and parses it as the mock will.
func (s *scenarioWriter) write() ([]byte, error) {
	s.head()
	own := slices.Clone(s.text.Bytes())
	if len(s.times) > 0 {
		s.line(0, "")
		s.line(0, "# The median of what was measured, the network's time included. Shorter ones than 5ms are left out.")
		s.line(0, "answer_times:")
		for _, t := range s.times {
			s.line(1, "%s: %s  # of %s", t.name, writeDuration(t.median), plural.Count(t.calls, "call"))
		}
	}
	if len(s.conduct.policy) > 0 {
		s.line(0, "")
		s.line(0, "policy:")
		for _, p := range s.conduct.policy {
			s.line(1, "%s  # %s", p.line, p.why)
		}
	}
	if h := s.conduct.holdFor; h != nil {
		s.line(0, "")
		s.line(0, "hold_for: %s  # %s", h.line, h.why)
	}
	if err := s.behaviour(); err != nil {
		return nil, err
	}
	s.line(0, "")
	s.line(0, "catalog:")
	s.line(1, "products:")
	for _, p := range s.products {
		if err := s.product(p); err != nil {
			return nil, err
		}
	}
	if s.secrets.leaks(s.text.Bytes(), own, []byte(ownWords)) {
		return nil, errLeak
	}
	if _, err := script.ParseBody("twin", s.text.Bytes()); err != nil {
		return nil, fmt.Errorf("the scenario that was learned cannot be played: %w", err)
	}
	return s.text.Bytes(), nil
}

// behaviour writes where the partner differs from the contract, or from most partners.
func (s *scenarioWriter) behaviour() error {
	if len(s.quirks) > 0 {
		s.line(0, "")
		s.line(0, "quirks:")
	}
	for _, q := range s.quirks {
		shown, err := orderFields(q.Quirk)
		if err != nil {
			return err
		}
		s.line(1, "# Recorded: %s.", safetext.Line(q.why))
		s.line(1, "- %s", flow(shown))
	}
	if len(s.faults) > 0 {
		s.line(0, "")
		s.line(0, "# Special calls come first. With last, no other fault applies to them.")
		s.line(0, "faults:")
	}
	for _, f := range s.faults {
		s.line(1, "# Recorded: %s.", safetext.Line(f.why))
		s.line(1, "- %s, last: true}", strings.TrimSuffix(f.line, "}"))
	}
	return nil
}

func (s *scenarioWriter) line(depth int, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		s.text.WriteString(strings.Repeat("  ", depth) + text)
	}
	s.text.WriteByte('\n')
}

func (s *scenarioWriter) head() {
	s.line(0, "# A twin of a partner, written by mockpartner learn on %s.", s.now.UTC().Format("2006-01-02 15:04 UTC"))
	s.line(0, "# It was learned from %s to the partner and %s.", plural.Count(s.called, "call"), plural.Count(len(s.calls)-s.called, "recorded call"))
	s.line(0, "# What stands below \"Guess\" was not seen. Ids of slots, codes and booking ids are the mock's own.")
	s.line(0, "# It has no key and no guest's data. Change it as any other scenario:")
	s.line(0, "#   mockpartner serve --auth-key KEY --scenario FILE")
	for _, note := range s.notes {
		s.line(0, "# Note: %s", safetext.Line(s.secrets.redactText(note)))
	}
}

func (s *scenarioWriter) product(p product) error {
	s.line(2, "# %s.", p.seen)
	shown, err := orderFields(p.sold.Product)
	if err != nil {
		return err
	}
	s.item(2, shown.(object).removeMembers("options"))
	s.line(3, "options:")
	for _, o := range p.sold.Options {
		shown, err := orderFields(o)
		if err != nil {
			return err
		}
		s.item(4, shown.(object).removeMembers("units"))
		s.line(5, "units:")
		for _, unit := range o.Units {
			shown, err := orderFields(unit)
			if err != nil {
				return err
			}
			s.line(6, "- %s", flow(shown))
		}
	}
	s.line(3, "schedules:")
	for _, o := range p.options {
		if err := s.schedule(o); err != nil {
			return err
		}
	}
	return nil
}

// item writes an object as an item of a list, with a line for each of its members.
func (s *scenarioWriter) item(depth int, o object) {
	for i, m := range o {
		bullet := "  "
		if i == 0 {
			bullet = "- "
		}
		s.line(depth, "%s%s: %s", bullet, key(m.name), flow(m.value))
	}
}

func (s *scenarioWriter) schedule(o option) error {
	for _, seen := range o.seen {
		s.line(4, "# %s", safetext.Line(seen))
	}
	s.line(4, "%s:", key(o.id))
	rest := o.schedule
	rest.Calendar = nil
	shown, err := orderFields(rest)
	if err != nil {
		return err
	}
	for _, m := range shown.(object) {
		s.line(5, "%s: %s", m.name, flow(m.value))
	}
	calendar := o.schedule.Calendar
	s.line(5, "calendar:")
	s.line(6, "from: %s", quote(calendar.From))
	s.line(6, "days: %d", calendar.Days)
	if len(calendar.Slots) == 0 {
		s.line(6, "slots: []")
		return nil
	}
	s.line(6, "slots:")
	for _, slots := range calendar.Slots {
		if err := s.slots(slots); err != nil {
			return err
		}
	}
	return nil
}

// slots writes one line of a calendar: the time, then the seats left.
func (s *scenarioWriter) slots(l catalog.CalendarLine) error {
	parts := []string{"at: " + quote(l.At)}
	if l.Lasts != 0 {
		parts = append(parts, "lasts: "+writeDuration(l.Lasts))
	}
	if l.Until != "" {
		parts = append(parts, "until: "+quote(l.Until))
	}
	if len(l.Weekdays) > 0 {
		parts = append(parts, "weekdays: ["+strings.Join(l.Weekdays, ", ")+"]")
	}
	if l.Capacity != 0 {
		parts = append(parts, fmt.Sprintf("capacity: %d", l.Capacity))
	}
	left := make([]string, len(l.Left))
	for i := range l.Left {
		left[i] = string(l.Left[i])
	}
	parts = append(parts, "left: ["+strings.Join(left, ", ")+"]")
	if l.Prices != nil {
		shown, err := orderFields(*l.Prices)
		if err != nil {
			return err
		}
		parts = append(parts, "prices: "+flow(shown))
	}
	s.line(7, "- {%s}", strings.Join(parts, ", "))
	return nil
}

// writeDuration writes a duration without zero units: 2h30m, not 2h30m0s.
func writeDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if cut, ok := strings.CutSuffix(text, zero); ok && cut != "" && strings.ContainsAny(cut[len(cut)-1:], "hm") {
			text = cut
		}
	}
	return text
}
