package console

import (
	"net/http"

	"partnerkit.dev/marketplace/client"
)

// overviewPage is what needs somebody now.
type overviewPage struct {
	frame
	client.Overview
}

func showOverview(v *visit) error {
	found, _, err := get[client.Overview](v, "/operator/overview", nil)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "overview.html", &overviewPage{frame{Page: "Overview", Section: "overview"}, found})
}
