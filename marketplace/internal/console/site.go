package console

import (
	"net/http"
	"slices"

	"partnerkit.dev/internal/webui"
	"partnerkit.dev/marketplace/internal/domain"
)

// site is a set of pages for the accounts of one role.
type site struct {
	Root, Name string
	Operators  bool // otherwise its pages are for partners
	Role       domain.Role
	About      string // shown below the sign-in's title
	Sections   []section
	pages      []route
	entrances  []route // additional pages without sign-in
}

// section is an entry of the navigation.
type section struct {
	Name, Label, Address string
	Search               bool // the shortcut for searching leads to it
}

// operators is the operators' console.
var operators = site{
	Root: root, Name: "console", Operators: true, Role: domain.Operator,
	About: "For operators. The first operator is created when the service starts, and can create others.",
	Sections: []section{
		{Name: "overview", Label: "Overview", Address: root + "/"},
		{Name: "partners", Label: "Partners", Address: root + "/partners"},
		{Name: "integrations", Label: "Integrations", Address: root + "/integrations"},
		{Name: "bookings", Label: "Bookings", Address: root + "/bookings", Search: true},
		{Name: "activities", Label: "Activities", Address: root + "/activities"},
		{Name: "terms", Label: "Rates and fees", Address: root + "/terms"},
		{Name: "accounts", Label: "Accounts", Address: root + "/accounts"},
	},
	pages: slices.Concat(integrationPages(), operatorPages()),
}

// portal is the partners' portal.
var portal = site{
	Root: portalRoot, Name: "partners", Role: domain.Partner,
	About:    "For partners. The operator of the marketplace invites you, or gives you an account.",
	Sections: []section{{Name: "integrations", Label: "Platforms", Address: portalRoot + "/integrations"}},
	pages: append(integrationPages(),
		route{get, "/", func(x *exchange) error { return x.goTo(portalRoot + "/integrations") }},
		route{get, "/integrations/{id}/bookings", listPartnersBookings},
		route{post, "/integrations/{id}/webhook", tryWebhook},
		route{post, "/integrations/{id}/go-live", askToGoLive},
	),
	entrances: []route{
		{get, "/invitation/{token}", showInvitation},
		{post, "/invitation/{token}", acceptInvitation},
	},
}

// route is a page of a site, below its path.
type route struct {
	method, path string
	show         handler
}

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// open returns the pages without sign-in.
func open() []route {
	return []route{
		{get, "", func(x *exchange) error { return x.goTo(x.site.Root + "/") }},
		{get, stylePath(), showStyle},
		{get, scriptPath(), showScript},
		{get, "/signin", showSignIn},
		{post, "/signin", signIn},
		{post, "/signout", signOut},
	}
}

// integrationPages returns the pages that both sites have. Each shows what the API allows its
// accounts to see.
func integrationPages() []route {
	return []route{
		{get, "/integrations", listIntegrations},
		{post, "/integrations", register},
		{get, "/integrations/{id}", showIntegration},
		{get, "/integrations/{id}/changes", followed(showIntegration, syncState, syncPause)},
		{post, "/integrations/{id}", changeIntegration},
		{post, "/integrations/{id}/test", testIntegration},
		{get, "/integrations/{id}/rotate", askToRotate},
		{post, "/integrations/{id}/rotate", rotateSecret},
		{get, "/integrations/{id}/delete", askToDelete},
		{post, "/integrations/{id}/delete", deleteIntegration},
		{post, "/integrations/{id}/runs", startRun},
		{get, "/integrations/{id}/certificate", passCertificate},
		{get, "/integrations/{id}/registry", askToJoinRegistry},
		{post, "/integrations/{id}/registry", joinRegistry},
		{post, "/integrations/{id}/registry/leave", leaveRegistry},
		{get, "/integrations/{id}/runs/{run}", showRun},
		{post, "/integrations/{id}/runs/{run}/share", shareRun},
		{post, "/integrations/{id}/runs/{run}/shares/{share}/revoke", unshareRun},
		{get, "/integrations/{id}/runs/{run}/{part}", passRun},
	}
}

// label returns the navigation's label of a section.
func (s *site) label(name string) string {
	return s.Sections[slices.IndexFunc(s.Sections, func(one section) bool { return one.Name == name })].Label
}

// Head returns the data for the page's head.
func (f *frame) Head() webui.Head {
	return webui.Head{Title: f.Page + " · marketplace " + f.Site.Name, Icon: icon, Sheets: []string{f.Site.Root + stylePath()}}
}
