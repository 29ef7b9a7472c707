package console_test

import (
	"html"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestAPartnerShowsItsCertificateInThePublicRegistry(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	ana, ops, stranger := s.enter("/partners", "partner@example.com", password), s.operator(), s.visitor()
	own, console, badge := "/partners/integrations/"+made.ID, "/console/integrations/"+made.ID, "/registry/"+made.ID+"/badge.svg"
	const join = "Show in the public registry"
	if p := ana.get(own); strings.Contains(p.text, join) {
		t.Errorf("Expected no registry without a certificate, received %s", p.text)
	}
	pgtest.Exec(t, s.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, '.' || encode('{"name":"Boats"}', 'base64'), now(), now() + interval '90 days' FROM integrations`)
	ana.shows(ana.get(own), 200, join, `href="`+own+`/registry"`)
	ana.shows(ana.get(own+"/registry"), 200, "Everyone sees, without signing in", "base URL", `action="`+own+`/registry"`)
	stranger.shows(stranger.get(badge), 404)
	ana.shows(ana.post(own+"/registry"), 200, "The public registry shows it", "Remove from the registry", html.EscapeString(`<img src="`+s.address+badge+`"`))
	stranger.shows(stranger.get("/registry"), 200, "Boats", "registry/"+made.ID+"/certificate.jws")
	stranger.shows(stranger.get(badge), 200, "conformant until")
	run := run(ana, made.ID)
	s.finish(s.begin(run), twiceBooked)
	ana.shows(ana.get(own), 200, "once it has a valid certificate", "Remove from the registry")
	stranger.shows(stranger.get(badge), 200, "not certified")
	ops.shows(ops.post(console+"/registry/leave"), 200, "Removed from the public registry")
	stranger.shows(stranger.get(badge), 404)
}
