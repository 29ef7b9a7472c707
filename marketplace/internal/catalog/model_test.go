package catalog_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// model is what must be stored of an integration.
type model struct {
	activities map[string]*modelActivity
	hashed     string // the body with the stored hash; "" without one
	guarded    string // the body that the guard holds back
	pulled     bool   // a pull was stored
	synced     int    // of the last full one
}

type modelActivity struct {
	title, name string
	active      bool
	options     map[string]*modelOption
	order       []string // in the order of their first sync
}

type modelOption struct {
	title, name string
	active      bool
}

// offer is a product in the partner's answer. A product without options is invalid.
type offer struct {
	id, name string
	options  []modelOffer
}

type modelOffer struct{ id, name string }

func (o offer) String() string {
	var options []string
	for _, each := range o.options {
		options = append(options, strings.Replace(option(each.id, adult, child), `"internalName":"x"`, `"internalName":"`+each.name+`"`, 1))
	}
	return fmt.Sprintf(`{"id":%q,"internalName":%q,"locale":"en","timeZone":"Europe/Lisbon","instantConfirmation":true,"options":[%s]}`, o.id, o.name, strings.Join(options, ","))
}

func drawOffers(t *rapid.T, least, most int) (all []offer) {
	ids := []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6"}
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), least, most, rapid.ID[string]).Draw(t, "products")
	for _, id := range chosen {
		o := offer{id: id, name: rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "name")}
		if rapid.IntRange(0, 9).Draw(t, "broken") > 0 {
			for _, option := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID[string]).Draw(t, "options") {
				o.options = append(o.options, modelOffer{option, rapid.SampledFrom([]string{"o1", "o2"}).Draw(t, "option's name")})
			}
		}
		all = append(all, o)
	}
	return all
}

// outcome is the expected result of a sync, and the rows that it must write.
type outcome struct {
	skipped                               bool
	synced, created, updated, deactivated int
	guarded                               bool
	written                               map[string]bool // "product" or "product/option"
}

// take applies a pull to the model.
func (m *model) take(body string, offers []offer, incremental bool) outcome {
	full := !incremental || !m.pulled
	if full && m.hashed == body {
		return outcome{skipped: true, synced: m.synced}
	}
	out := outcome{written: map[string]bool{}}
	active := 0
	for _, a := range m.activities {
		if a.active {
			active++
		}
	}
	present := map[string]bool{}
	for _, o := range offers {
		present[o.id] = true
		if len(o.options) > 0 {
			out.synced++
			m.activity(o, &out)
		}
	}
	var gone []string
	for id, a := range m.activities {
		if full && a.active && !present[id] {
			gone = append(gone, id)
		}
	}
	if out.guarded = len(gone) >= 5 && 2*len(gone) > active && m.guarded != body; !out.guarded {
		for _, id := range gone {
			m.activities[id].active = false
			out.written[id] = true
		}
		out.deactivated = len(gone)
	}
	m.pulled = true
	if full {
		m.synced = out.synced
		m.hashed, m.guarded = body, ""
		if out.guarded {
			m.hashed, m.guarded = "", body
		}
	} else if len(out.written) > 0 {
		m.hashed = ""
	}
	return out
}

func (m *model) activity(o offer, out *outcome) {
	a, known := m.activities[o.id]
	if !known {
		a = &modelActivity{title: o.name, options: map[string]*modelOption{}}
		m.activities[o.id] = a
		out.created++
	}
	differs := a.name != o.name || !a.active
	if differs {
		out.written[o.id] = true
	}
	a.name, a.active = o.name, true
	offered := map[string]bool{}
	for _, each := range o.options {
		offered[each.id] = true
		v := a.options[each.id]
		if v == nil {
			v = &modelOption{title: each.name}
			a.options[each.id] = v
			a.order = append(a.order, each.id)
		}
		if v.name != each.name || !v.active {
			out.written[o.id+"/"+each.id], differs = true, true
		}
		v.name, v.active = each.name, true
	}
	for id, v := range a.options {
		if v.active && !offered[id] {
			v.active = false
			out.written[o.id+"/"+id], differs = true, true
		}
	}
	if known && differs {
		out.updated++
	}
}

// lines shows the model in the form in which stored shows the database.
func (m *model) lines() (all []string) {
	for _, id := range slices.Sorted(maps.Keys(m.activities)) {
		a := m.activities[id]
		all = append(all, fmt.Sprintf("%s %s %s %t", id, a.title, a.name, a.active))
		for sort, option := range a.order {
			v := a.options[option]
			all = append(all, fmt.Sprintf("%s/%s %d %s %s %t", id, option, sort+1, v.title, v.name, v.active))
		}
	}
	return all
}

// storedRows shows an integration's rows, with a version of each that changes when it is written.
func storedRows(t *rapid.T, store *postgres.Store, integration uuid.UUID) (lines []string, versions map[string]string) {
	rows, err := store.Pool().Query(context.Background(), `
		SELECT external_product_id AS id, '' AS option, 0 AS sort, format('%s %s %s', title, product->>'internalName', partner_active::text) AS line, xmin::text
		FROM activities WHERE integration_id = $1
		UNION ALL
		SELECT external_product_id, '/' || external_option_id, sort, format('%s %s %s %s', sort, v.title, option->>'internalName', v.partner_active::text), v.xmin::text
		FROM variations v JOIN activities a ON a.id = v.activity_id WHERE integration_id = $1
		ORDER BY id, sort`, integration)
	check(t, err)
	defer rows.Close()
	versions = map[string]string{}
	for rows.Next() {
		var id, option, line, version string
		var sort int
		check(t, rows.Scan(&id, &option, &sort, &line, &version))
		lines = append(lines, id+option+" "+line)
		versions[id+option] = version
	}
	return lines, versions
}

var errPartner = errors.New("the partner failed")

// Whatever a partner answers, pull after pull, the database equals the model: titles are
// set once, and only rows that differ are written.
func TestTheStoredCatalogIsTheModels(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	now := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		target := partner.Target{ID: uuid.New(), BaseURL: &url.URL{Scheme: "https", Host: uuid.NewString() + ".example"}}
		registerIn(t, store, target, now)
		m := &model{activities: map[string]*modelActivity{}}
		var body string
		var failing bool
		syncer := catalog.NewSyncer(store.Catalog, failer{&body, &failing}, func() time.Time { now = now.Add(time.Second); return now })
		last, earlier := []offer{}, [][]offer{nil}
		for range rapid.IntRange(1, 8).Draw(t, "pulls") {
			switch rapid.SampledFrom([]string{"many", "any", "few", "earlier", "same", "shuffled", "fails"}).Draw(t, "answer") {
			case "many":
				last = drawOffers(t, 6, 7)
			case "any":
				last = drawOffers(t, 0, 7)
			case "few":
				last = drawOffers(t, 0, 1)
			case "earlier":
				last = rapid.SampledFrom(earlier).Draw(t, "earlier")
			case "shuffled":
				last = slices.SortedFunc(slices.Values(last), func(a, b offer) int { return cmp.Compare(b.id, a.id) })
			case "fails":
				failing = true
			}
			earlier = append(earlier, last)
			order := catalog.Order{Target: target, Mode: rapid.SampledFrom([]catalog.Mode{catalog.Full, catalog.Full, catalog.Incremental}).Draw(t, "mode")}
			var texts []string
			for _, o := range last {
				texts = append(texts, o.String())
			}
			body = "[" + strings.Join(texts, ",") + "]"
			_, before := storedRows(t, store, target.ID)
			made, err := syncer.Sync(context.Background(), order)
			want := outcome{written: map[string]bool{}}
			if failing {
				if failing = false; err == nil {
					t.Fatal("want the partner's failure")
				}
			} else {
				check(t, err)
				want = m.take(body, last, order.Mode == catalog.Incremental)
				got := outcome{made.Skipped, made.Synced, made.Created, made.Updated, made.Deactivated, made.Guard != nil, want.written}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("want %+v\ngot  %+v", want, got)
				}
			}
			lines, after := storedRows(t, store, target.ID)
			if got, want := strings.Join(lines, "\n"), strings.Join(m.lines(), "\n"); got != want {
				t.Fatalf("want\n%s\ngot\n%s", want, got)
			}
			for row, version := range after {
				if written := version != before[row]; written != want.written[row] {
					t.Fatalf("%s: want it written %t, got %t", row, want.written[row], written)
				}
			}
		}
	})
}

// failer is a partner whose next answers can be made to fail.
type failer struct {
	body    *string
	failing *bool
}

func (f failer) Products(ctx context.Context, _ partner.Target, _ time.Time, read func(context.Context, []byte) error) error {
	if *f.failing {
		return errPartner
	}
	return read(ctx, []byte(*f.body))
}
