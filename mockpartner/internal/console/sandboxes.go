package console

import (
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/sandbox"
)

// sandboxesPanel is all sandboxes of the mock.
type sandboxesPanel struct {
	Boxes  []sandboxView
	Create call
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
	Delete   call // without a label where it stays
}

func (b *builder) sandboxes() sandboxesPanel {
	var panel sandboxesPanel
	for _, box := range b.console.Sandboxes.List() {
		path := "/sandboxes/" + box.Name()
		view := sandboxView{
			Name: box.Name(), Href: sandbox.Prefix(box.Name()) + b.console.Path + "/", Current: box == b.box,
			Now: box.Clock().Now().UTC(), Frozen: box.Clock().Frozen(), OwnKey: box.OwnKey(), Products: len(box.Platform().Catalog().Products),
			Reset: b.call(call{ID: "reset-" + box.Name(), Label: "Reset", Of: box.Name(), Method: http.MethodPost, Path: path + "/reset", Danger: true}),
		}
		if box.Name() != sandbox.Default {
			view.Delete = b.call(call{ID: "delete-" + box.Name(), Label: "Delete", Of: box.Name(), Method: http.MethodDelete, Path: path, Danger: true})
		}
		panel.Boxes = append(panel.Boxes, view)
	}
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
