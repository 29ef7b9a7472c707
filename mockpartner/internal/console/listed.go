package console

import (
	"net/url"
	"slices"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// listed is the filter of the listed exchanges. Empty fields match everything.
type listed struct {
	endpoint, status, fault string
	Text                    string
	probes                  bool // include health probes
}

// listedNames are the names of its fields in the page's query.
var listedNames = []string{"endpoint", "status", "fault", "text", "probes"}

func listedOf(query url.Values) listed {
	l := listed{endpoint: query.Get("endpoint"), status: query.Get("status"), fault: query.Get("fault"), Text: query.Get("text"), probes: query.Has("probes")}
	if !slices.Contains(partnerapi.Endpoints(), partnerapi.Endpoint(l.endpoint)) {
		l.endpoint = ""
	}
	if !slices.Contains(journal.Classes(), l.status) {
		l.status = ""
	}
	return l
}

func (l listed) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"endpoint": l.endpoint, "status": l.status, "fault": l.fault, "text": l.Text} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if l.probes {
		values.Set("probes", "yes")
	}
	return values
}

func (l listed) filter() client.Filter {
	return client.Filter{Endpoint: partnerapi.Endpoint(l.endpoint), Class: l.status, Fault: l.fault, Text: l.Text, NoProbes: !l.probes}
}

// Narrow reports whether the filter excludes anything except probes.
func (l listed) Narrow() bool { return l.endpoint+l.status+l.fault+l.Text != "" }

// Probes reports whether probes are listed.
func (l listed) Probes() bool { return l.probes }

func (c chosen) withProbes(listed bool) chosen {
	c.listed.probes = listed
	return c
}

// choose sets the choices of the filter.
func (p *exchangesPanel) choose(armed []script.Armed) {
	offer := func(to *[]choice, chosen, value, label string) {
		*to = append(*to, choice{Value: value, Label: label, Chosen: value == chosen})
	}
	offer(&p.Endpoints, p.Filter.endpoint, "", "any")
	for _, endpoint := range partnerapi.Endpoints() {
		offer(&p.Endpoints, p.Filter.endpoint, string(endpoint), string(endpoint))
	}
	for _, status := range [][2]string{{"", "any"}, {"2xx", "2xx"}, {"4xx", "4xx"}, {"5xx", "5xx"}, {client.NoAnswer, "no answer"}} {
		offer(&p.Statuses, p.Filter.status, status[0], status[1])
	}
	offer(&p.Faults, p.Filter.fault, "", "any")
	offer(&p.Faults, p.Filter.fault, client.AnyFault, "any fault")
	for _, fault := range armed {
		offer(&p.Faults, p.Filter.fault, fault.Name, fault.Name)
	}
}
