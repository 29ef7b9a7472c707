package storefront

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"partnerkit.dev/marketplace/internal/domain"
)

// Query selects a page of the list. Equal queries select the same page.
type Query struct {
	Page, Limit int             // at least 1 each
	After       domain.Cursor   // replaces the page: the last entry of the previous page
	Currency    domain.Currency // "": each activity's own
	Language    string          // BCP 47, "": each activity's own
	Filter      Filter
	Affiliate   uuid.UUID // whose links are added; zero: no links
}

// ListName is the name of the list in its cursors.
const ListName = "activities"

// page is an encoded page with its entries.
type page struct {
	*Answer
	part
	terms   *domain.Terms
	checked atomic.Uint64 // the last version of the list for which it is valid
}

// List returns a page; a page past the end is empty. The error is Invalid if the currency has no
// exchange rate. Prices for which another rate is missing are omitted.
func (f *Front) List(ctx context.Context, q Query) (*Answer, error) {
	q.Filter = q.Filter.normalize()
	now := f.current.Load()
	if found, _ := f.cache.get(q).(*page); found != nil {
		if found.checked.Load() == now.version {
			f.hits.Add(1)
			return found.Answer, nil
		}
		if found.terms == now.terms && found.equal(f.cut(now, q)) {
			found.checked.Store(now.version)
			f.hits.Add(1)
			return found.Answer, nil
		}
	}
	if err := checkCurrency(now.terms, q.Currency); err != nil {
		return nil, err
	}
	f.misses.Add(1)
	// The version is part of the key: no caller receives a page that was begun before a change that
	// the caller has seen.
	made, err, _ := f.flights.Do(q.flight(now.version), func() (any, error) {
		return f.makePage(context.WithoutCancel(ctx), now, q)
	})
	if err != nil {
		return nil, err
	}
	return made.(*page).Answer, nil
}

func (q Query) flight(version uint64) string {
	texts := []string{strconv.FormatUint(version, 36), strconv.Itoa(q.Page), strconv.Itoa(q.Limit), string(q.Currency), q.Language,
		string(q.Filter.Mode), q.Filter.Query, q.Filter.Category, q.Filter.Country, q.Filter.City, q.Affiliate.String(), q.After.Text(ListName)}
	name := ""
	for _, text := range texts {
		name += strconv.Itoa(len(text)) + ":" + text
	}
	return name
}

// checkCurrency returns an error if nothing can be priced in the currency. "" stands for each activity's
// own currency.
func checkCurrency(terms *domain.Terms, currency domain.Currency) error {
	if currency == "" {
		return nil
	}
	_, err := terms.Rates.Factor(terms.Rates.Base, currency)
	return err
}

// part is the content of a page.
type part struct {
	entries []*entry
	total   int  // of the list
	more    bool // entries follow
}

func (p part) equal(other part) bool {
	return p.total == other.total && p.more == other.more && slices.Equal(p.entries, other.entries)
}

// cut returns the part of the list for a page.
func (f *Front) cut(now *snapshot, q Query) part {
	entries := f.filterEntries(now, q.Filter)
	total, from := len(entries), 0
	if q.After != (domain.Cursor{}) {
		at, known := slices.BinarySearchFunc(entries, &entry{id: q.After.ID, created: q.After.At.UnixMicro()}, (*entry).compare)
		if from = at; known {
			from++
		}
	} else if from = total; q.Page-1 <= total/q.Limit { // also avoids an overflow
		from = min((q.Page-1)*q.Limit, total)
	}
	until := min(from+q.Limit, total)
	return part{entries[from:until], total, until < total}
}

func (q Query) pagination(p part) *Pagination {
	shown := &Pagination{PageSize: q.Limit}
	if q.After == (domain.Cursor{}) {
		shown.Page, shown.TotalCount = q.Page, &p.total
	}
	if p.more {
		last := p.entries[len(p.entries)-1]
		shown.NextCursor = new(domain.Cursor{At: time.UnixMicro(last.created), ID: last.id}.Text(ListName))
	}
	return shown
}

// selection contains the entries that match a filter in one version of the list.
type selection struct {
	version uint64
	entries []*entry
}

// entrySize is the memory of an entry in a selection, in bytes.
const entrySize = 8

// filterEntries returns the entries that match the filter.
func (f *Front) filterEntries(now *snapshot, by Filter) []*entry {
	if by == (Filter{Mode: by.Mode}) {
		return now.byMode[by.Mode]
	}
	if found, _ := f.cache.get(by).(*selection); found != nil && found.version == now.version {
		return found.entries
	}
	var taken []*entry
	for _, e := range now.byMode[by.Mode] {
		if by.takes(e) {
			taken = append(taken, e)
		}
	}
	f.cache.put(by, &selection{now.version, taken}, int64(cap(taken))*entrySize+overhead)
	return taken
}

// overhead is the estimated overhead of a cached object, in bytes.
const overhead = 1 << 10

func (f *Front) makePage(ctx context.Context, now *snapshot, q Query) (*page, error) {
	p := f.cut(now, q)
	shown, err := f.show(ctx, now.terms, p.entries, q)
	if err != nil {
		return nil, err
	}
	answer, err := newAnswer(Success{Data: shown, Pagination: q.pagination(p)})
	if err != nil {
		return nil, err
	}
	p.entries = slices.Clone(p.entries)
	fresh := &page{Answer: answer, part: p, terms: now.terms}
	fresh.checked.Store(now.version)
	if len(p.entries) > 0 { // pages past the end are not cached: their number is unlimited
		f.cache.put(q, fresh, int64(len(answer.Body)+len(answer.Gzip()))+overhead+int64(len(p.entries))*entrySize)
	}
	return fresh, nil
}

// show returns the activities of a page, which it reads from the database.
func (f *Front) show(ctx context.Context, terms *domain.Terms, entries []*entry, q Query) ([]any, error) {
	shown := []any{}
	if len(entries) == 0 {
		return shown, nil
	}
	ids := make([]uuid.UUID, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	read, err := f.store.ListedActivities(ctx, q.Filter.Mode, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]domain.Activity, len(read))
	for _, a := range read {
		byID[a.ID] = a
	}
	for _, id := range ids {
		a, found := byID[id]
		if !found {
			continue // no longer listed; the notification has not arrived yet
		}
		shown = append(shown, f.withLink(show(a, *terms, q.Currency, q.Language), q.Affiliate))
	}
	return shown, nil
}

// cache keeps objects up to a number of bytes and evicts the least recently used. It is safe for
// concurrent use.
type cache struct {
	most int64

	mu    sync.Mutex
	bytes int64
	byKey *simplelru.LRU[any, kept]
}

type kept struct {
	value any
	bytes int64
}

func newCache(most int64) *cache {
	c := &cache{most: most}
	c.byKey, _ = simplelru.NewLRU(math.MaxInt, func(_ any, k kept) { c.bytes -= k.bytes }) // an error only for a size below 1
	return c
}

func (c *cache) get(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := c.byKey.Get(key)
	return found.value
}

func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *cache) put(key, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey.Remove(key)
	c.byKey.Add(key, kept{value, bytes})
	for c.bytes += bytes; c.bytes > c.most && c.byKey.Len() > 0; {
		c.byKey.RemoveOldest()
	}
}
