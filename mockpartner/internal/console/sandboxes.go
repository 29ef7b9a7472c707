package console

import (
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

type sandboxesPanel struct {
	Boxes  []sandboxView
	Count  int
	Create call
	More   more
}

type sandboxView struct {
	Name     string
	Href     string // its console
	Current  bool
	Now      time.Time
	Frozen   bool
	OwnKey   bool
	Products int
	Reset    call
	Delete   call // without a label if it cannot be deleted
}

func (b *builder) sandboxes() sandboxesPanel {
	var panel sandboxesPanel
	boxes := b.console.Sandboxes.List()
	panel.Count = len(boxes)
	for _, box := range boxes[:min(len(boxes), b.choice.limit("sandboxes", fewListed, len(boxes)))] {
		path := "/sandboxes/" + box.Name()
		view := sandboxView{
			Name: box.Name(), Href: sandbox.Prefix(box.Name()) + b.console.Path + "/", Current: box == b.box,
			Now: box.Clock().Now().UTC(), Frozen: box.Clock().IsFrozen(), OwnKey: box.OwnKey(), Products: len(box.Platform().Catalog().Products),
			Reset: b.call(call{ID: "reset-" + box.Name(), Label: "Reset", Of: box.Name(), Method: http.MethodPost, Path: path + "/reset", Danger: true}),
		}
		if box.Name() != sandbox.Default {
			view.Delete = b.call(call{ID: "delete-" + box.Name(), Label: "Delete", Of: box.Name(), Method: http.MethodDelete, Path: path, Danger: true})
		}
		panel.Boxes = append(panel.Boxes, view)
	}
	panel.More = b.choice.more("sandboxes", len(panel.Boxes), len(boxes))
	panel.Create = b.call(call{
		ID: "create", Label: "Create", Of: "a sandbox", Method: http.MethodPost, Path: "/sandboxes",
		Fields: []field{
			{Kind: textField, Name: "name", Label: "Name", Hint: "mine"},
			{Kind: numberField, Name: "seed", Label: "Seed", Hint: "7"},
			{Kind: textField, Name: "now", Label: "Clock at", Hint: "2026-07-01T09:00:00Z"},
			{Kind: flagField, Name: "frozen", Label: "Frozen", Value: "true"},
		},
	})
	return panel
}

const maxTimers = 8

type clockPanel struct {
	Now     time.Time // UTC
	Millis  int64     // the same in Unix milliseconds, for the script
	Frozen  bool
	Toggle  call
	Advance call
	Steps   []call
	Set     call
	Next    call
	Timers  []timer
}

type timer struct {
	client.Timer
	Words string
	In    string
}

// Millis returns when it fires in Unix milliseconds, for the script.
func (t timer) Millis() int64 { return t.At.UnixMilli() }

func (b *builder) clock() clockPanel {
	now := b.inside.Now.UTC()
	c := clockPanel{Now: now, Millis: now.UnixMilli(), Frozen: b.box.Clock().IsFrozen()}
	label, freeze := "Freeze", "true"
	if c.Frozen {
		label, freeze = "Let it run", "false"
	}
	c.Toggle = b.clockCall("toggle", label, field{Kind: flagField, Name: "freeze", Value: freeze})
	for _, step := range []struct{ id, label, by string }{{"minute", "+1 min", "1m"}, {"hold", "+25 min", "25m"}, {"day", "+1 day", "24h"}} {
		c.Steps = append(c.Steps, b.clockCall("step-"+step.id, step.label, field{Kind: textField, Name: "advance", Value: step.by}))
	}
	c.Advance = b.clockCall("advance", "Advance", field{Kind: textField, Name: "advance", Label: "By", Value: "5m", Hint: "90s, 25m, 36h"})
	set := field{Kind: textField, Name: "set", Label: "To", Hint: "2026-07-01T09:00:00Z"}
	if c.Frozen { // while it runs, the value would change all the time
		set.Value = now.Format(time.RFC3339)
	}
	c.Set = b.clockCall("set", "Set", set)
	kinds := []choice{{Label: "any event", Chosen: true}}
	for _, k := range platform.TimerKinds() {
		kinds = append(kinds, choice{Value: string(k), Label: timerWords(k)})
	}
	c.Next = b.call(call{
		ID: "clock-next", Label: "Run to it", Of: "the next event", Method: http.MethodPost, Path: "/clock/next",
		Fields: []field{{Kind: listField, Name: "kinds", Label: "Next", Choices: kinds}},
	})
	for _, t := range b.box.Platform().Timers(maxTimers) {
		c.Timers = append(c.Timers, timer{Timer: t, Words: timerWords(t.Kind), In: span(t.At.Sub(now))})
	}
	c.Timers = c.Timers[:min(len(c.Timers), maxTimers)]
	return c
}

func (b *builder) clockCall(id, label string, f field) call {
	return b.call(call{ID: "clock-" + id, Label: label, Of: "the clock", Method: http.MethodPost, Path: "/clock", Fields: []field{f}})
}

func timerWords(k client.TimerKind) string { return strings.ReplaceAll(string(k), "-", " ") }
