package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
)

// A partner may leave out slots that are sold out. Other customers may have the last seats of a slot each
// time that its day is read, but not of the same slot again and again.
func TestASlotIsMissingFromAPartOfAWindowOnlyIfItIsEachTime(t *testing.T) {
	t.Parallel()
	day := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	const counted = `,"vacancies":1,"capacity":9`
	for _, test := range []struct {
		name    string
		answers []string // the slots of each answer after the first long window, which shows a, b and c: of the day and the long window in turn
		others  int      // how often other customers were seen
		seats   string   // of each slot
		gone    []string
	}{
		{"nothing is missing", []string{"abc"}, 1, counted, nil},
		{"it was sold out once", []string{"ab", "abc", "abc"}, 1, counted, nil},
		{"two were sold out in turn", []string{"ab", "abc", "ac"}, 1, counted, nil},
		{"one was sold out twice", []string{"ab", "abc", "ab", "abc", "abc"}, 1, counted, nil},
		{"it is missing each time", []string{"ab", "abc", "ab", "abc", "ab", "abc", "ab"}, 1, counted, []string{"c"}},
		{"it is missing twice, and no one else is seen", []string{"ab", "abc", "ab"}, 0, counted, []string{"c"}},
		{"one was sold out twice, and no one else can be seen", []string{"ab", "abc", "ab", "abc", "abc"}, 0, "", nil},
		{"two in turn, and no one else is seen", []string{"ab", "abc", "ac"}, 0, counted, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answers := append([]string{"abc"}, test.answers...)
			p := playerAt(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/products" {
					fmt.Fprint(w, `[{"id":"walk","title":"Walk","timeZone":"Etc/UTC","locale":"en","defaultCurrency":"EUR","options":[{"id":"tour","title":"Tour","units":[{"id":"unit-adult","type":"ADULT"}]}]}]`)
					return
				}
				if len(answers) == 0 {
					t.Error("want no further question")
					return
				}
				var slots []string
				for _, id := range strings.Split(answers[0], "") {
					hour := strings.Index("abc", id) + 10
					slots = append(slots, fmt.Sprintf(`{"id":%q,"localDateTimeStart":"%[2]sT%[3]d:00:00Z","localDateTimeEnd":"%[2]sT%[3]d:30:00Z","status":"AVAILABLE"%[4]s}`, id, day, hour, test.seats))
				}
				answers = answers[1:]
				fmt.Fprintf(w, "[%s]", strings.Join(slots, ","))
			}), test.others)
			long := PlaySurvey(t.Context(), p, 0).Answers[0]
			w := p.compare(t.Context(), p.askAgain(t.Context(), long, discover.Window{From: day, To: day}, "slots of one day"))
			if _, gone := w.OfPart(); w.Stop != nil || !slices.Equal(gone, test.gone) || len(answers) > 0 {
				t.Errorf("want %v missing and every answer read, got %v, %v and %d answers left", test.gone, gone, w.Stop, len(answers))
			}
		})
	}
}
