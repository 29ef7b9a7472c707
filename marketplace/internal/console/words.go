package console

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

// words are the templates' functions.
func words() template.FuncMap {
	return template.FuncMap{
		"when":       momentOf,
		"lasted":     durationWords,
		"plural":     func(n int, one, many string) string { return plural.Count(n, one, many) },
		"sentence":   sentence,
		"reason":     reason,
		"quote":      quote,
		"action":     actionWords,
		"tone":       tone,
		"inc":        func(n int) int { return n + 1 },
		"link":       link,
		"more":       func(name string) bool { return slices.Contains(moreFilters, name) },
		"eventTitle": eventTitle, "eventTone": eventTone, "eventSays": eventSays,
		"took":   func(from, until time.Time) string { return callDuration(until.Sub(from)) },
		"millis": func(n int64) string { return callDuration(time.Duration(n) * time.Millisecond) },
	}
}

// pageTime is a time in the form that pages show.
type pageTime struct{ Day, Hour, ISO string }

// momentOf converts a time to UTC, and a zero time to nil.
func momentOf(at time.Time) *pageTime {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &pageTime{at.Format("2 Jan 2006"), at.Format("15:04:05"), at.Format(time.RFC3339)}
}

// durationWords formats a duration in its two largest units.
func durationWords(d time.Duration) string {
	for _, unit := range []struct {
		size, less time.Duration
		name, rest string
	}{{24 * time.Hour, time.Hour, "d", "h"}, {time.Hour, time.Minute, "h", "min"}, {time.Minute, time.Second, "min", "s"}} {
		if d < unit.size {
			continue
		}
		words := fmt.Sprintf("%d %s", d/unit.size, unit.name)
		if rest := d % unit.size / unit.less; rest > 0 {
			words += fmt.Sprintf(" %d %s", rest, unit.rest)
		}
		return words
	}
	return fmt.Sprintf("%d s", max(0, d/time.Second))
}

// callDuration formats how long a call or a sync took: 8 ms, 5.25 s.
func callDuration(d time.Duration) string {
	switch d = d.Round(time.Millisecond); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	}
	return durationWords(d)
}

// link reports whether a ticket's value is the address of a document.
func link(d partnerapi.DeliveryOption) bool {
	return d.DeliveryFormat == "PDF_URL" && (strings.HasPrefix(d.DeliveryValue, "https://") || strings.HasPrefix(d.DeliveryValue, "http://"))
}

// sentence adds an initial capital and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// reasons explain why a booking needs attention.
var reasons = map[client.AttentionReason]string{
	client.ConfirmRefused:   "Paid, but the partner did not confirm",
	client.ConfirmUnknown:   "Paid, but it is unknown whether the partner has booked",
	client.LatePayment:      "Paid after the hold was released",
	client.DuplicatePayment: "Paid twice",
	client.DuplicateID:      "Another booking has the same booking id at the partner",
	client.ReserveUnknown:   "The partner may hold unused seats until they expire",
	client.ReleaseFailed:    "The partner does not accept the release",
	client.CancelFailed:     "The partner does not accept the cancellation",

	client.RescheduleUnknown: "Rescheduled, but it is unknown whether the partner has booked the new slot",
}

func reason(r client.AttentionReason) string {
	if words := reasons[r]; words != "" {
		return words
	}
	return string(r)
}

// ourWords are the reasons whose message is ours, and not the partner's.
var ourWords = []client.AttentionReason{client.DuplicateID, client.DuplicatePayment, client.LatePayment, client.RescheduleUnknown}

// quote returns an attention's message; in quotation marks, as what the partner said, only if the partner said it.
func quote(a client.Attention) string {
	switch {
	case a.Message == "":
		return ""
	case slices.Contains(ourWords, a.Reason):
		return sentence(a.Message)
	}
	return "The partner: “" + a.Message + "”"
}

// buttonText is a button's label and explanation.
type buttonText struct{ Label, Hint string }

// actions are the buttons for a booking that needs attention.
var actions = map[client.Action]buttonText{
	client.MayConfirm: {"Confirm again", "Asks the partner once more to confirm the paid booking."},
	client.MayCancel:  {"Cancel booking…", "The booking becomes CANCELLED and the partner is informed. Refund the customer through the payment provider."},
	client.MayDeliver: {"Send again", "Sends the call again until the partner accepts it."},
	client.MayResolve: {"Resolve", "The problem was resolved elsewhere. The booking leaves this list and does not change. The new booking of a reschedule is CANCELLED, and the old one stays."},
}

func actionWords(a client.Action) buttonText { return actions[a] }

// events name what happened, and its colour.
var events = map[client.RecentKind]struct{ title, tone string }{
	client.HealthChanged:     {"health", ""},
	client.SyncFailed:        {"sync failed", "bad"},
	client.SyncHeld:          {"sync held", "warn"},
	client.AttentionNeeded:   {"needs attention", "warn"},
	client.AttentionResolved: {"resolved", "good"},
	client.RunEnded:          {"conformance", ""},
}

func eventTitle(e client.RecentEvent) string {
	if of, known := events[e.Kind]; known {
		return of.title
	}
	return string(e.Kind)
}

// eventTone returns an event's colour: that of its state, if it has one.
func eventTone(e client.RecentEvent) string {
	if of := events[e.Kind]; of.tone != "" {
		return of.tone
	}
	state, _, _ := strings.Cut(e.Says, ":")
	return tone(state)
}

// eventSays describes an event.
func eventSays(e client.RecentEvent) string {
	switch e.Kind {
	case client.AttentionNeeded, client.AttentionResolved:
		return reason(client.AttentionReason(e.Says))
	case client.SyncHeld:
		return "it would remove " + e.Says
	default:
		return e.Says
	}
}

// tones are the colours of states.
var tones = map[string]string{
	"HEALTHY": "good", "conformant": "good", "certified": "good", "Active": "good", "CONFIRMED": "good", "done": "good",
	"DEGRADED": "bad", "failed": "bad", "nonconformant": "bad", "LOST": "bad",
	"PAID": "warn", "expired": "warn", "expires soon": "warn", "incomplete": "warn", "queued": "held", "running": "held", "pending": "warn", "RESERVING": "warn", "HELD": "held",
}

// tone returns the colour of a state.
func tone(state any) string {
	if found := tones[fmt.Sprint(state)]; found != "" {
		return found
	}
	return "mute"
}
