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

func showOverview(x *exchange) error {
	found, _, err := read[client.Overview](x, "/operator/overview", nil)
	if err != nil {
		return err
	}
	return x.show(http.StatusOK, "overview.html", &overviewPage{frame{Page: "Overview", Section: "overview"}, found})
}
