package console

import (
	"partnerkit.dev/marketplace/client"
)

// The stages of an integration on its way to being sold.
const (
	stageTest   = "Test"
	stageReview = "Review"
	stageLive   = "Live"
)

// stage is how far an integration is on its way to being sold.
type stage struct {
	Name string
	Says string // what that means, and what the next stage waits for
}

// Stages returns all stages in their order.
func (s stage) Stages() []string { return []string{stageTest, stageReview, stageLive} }

// IsLive reports whether the integration's activities are sold.
func (s stage) IsLive() bool { return s.Name == stageLive }

// Stage returns the integration's stage.
func (i integrationView) Stage() stage { return stageOf(i.Integration) }

func stageOf(i client.Integration) stage {
	a, withheld := i.Admission, i.Certification != nil && i.Certification.Withheld
	switch {
	case i.Mode == "test":
		return stage{stageTest, "Test tokens see and book it. It stays a test integration: register another one to sell."}
	case a.GoLive == "requested":
		return stage{stageReview, "An operator looks at it."}
	case a.ApprovalRequired:
		return stage{stageTest, "Nothing is sold before an operator has approved it."}
	case withheld:
		return stage{stageReview, "Nothing is sold before it has a certificate."}
	case i.LastSyncAt.IsZero():
		return stage{stageTest, "Nothing is sold before its catalog is imported."}
	case i.Slots.Options == 0:
		return stage{stageTest, "Nothing is sold: no product of its catalog can be used."}
	}
	return stage{stageLive, "Resellers sell its activities."}
}
