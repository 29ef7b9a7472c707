package api

import "net/http"

// operatorOverviewRoutes are what operators look at first.
func (a *API) operatorOverviewRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/operator/overview", operators, a.showOverview},
	}
}

func (a *API) showOverview(w http.ResponseWriter, r *http.Request) error {
	overview, err := a.store.Database.Overview(r.Context(), a.now())
	if err != nil {
		return err
	}
	return writeData(w, http.StatusOK, overview)
}
