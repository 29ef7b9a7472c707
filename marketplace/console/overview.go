package console

import (
	"net/http"

	"partnerkit.dev/marketplace"
)

// overviewPage is what needs somebody now.
type overviewPage struct {
	frame
	marketplace.Overview
}

func showOverview(v *visit) error {
	found, _, err := get[marketplace.Overview](v, "/operator/overview", nil)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "overview.html", &overviewPage{frame{Title: "Overview", Section: "overview"}, found})
}
