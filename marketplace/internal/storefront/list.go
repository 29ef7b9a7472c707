package storefront

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"partnerkit.dev/marketplace/internal/domain"
)

// Query selects a page of the list. Equal queries select the same page.
type Query struct {
	Page, Limit int             // at least 1 each
	After       Place           // replaces the page: the last entry of the previous page
	Currency    domain.Currency // "": each activity's own; with it, ByPrice compares prices in the base of the rates
	Language    string          // BCP 47, "": each activity's own
	Filter      Filter
	Sort        Sort
	Affiliate   uuid.UUID // whose links are added; zero: no links
}

// page is an encoded page with its entries.
type page struct {
	*Answer
	part
	book    *priceBook
	checked atomic.Pointer[validity] // the last time at which it was found valid
}

// validity says for which version of the list, and until when, a page is valid.
type validity struct {
	version uint64
	until   int64 // in seconds since 1970
}

func (f *Front) isValid(p *page, now *snapshot) bool {
	checked := p.checked.Load()
	return checked.version == now.version && (checked.until == forever || f.now().Unix() < checked.until)
}

// List returns a page; a page past the end is empty. The error is Invalid if the currency has no
// exchange rate. Prices for which another rate is missing are omitted.
func (f *Front) List(ctx context.Context, q Query) (*Answer, error) {
	q.Filter = q.Filter.normalize()
	now := f.current.Load()
	if found, _ := f.cache.get(q).(*page); found != nil {
		if f.isValid(found, now) {
			f.hits.Add(1)
			return found.Answer, nil
		}
		if found.book == now.book {
			if fresh, until := f.cut(now, q); found.equal(fresh) {
				found.checked.Store(&validity{now.version, until})
				f.hits.Add(1)
				return found.Answer, nil
			}
		}
	}
	if err := checkCurrency(now.book.terms, q.Currency); err != nil {
		return nil, err
	}
	f.misses.Add(1)
	// The version is part of the key: no caller receives a page that was begun before a change that
	// the caller has seen.
	made, err, _ := f.flights.Do(fmt.Sprintf("%d %#v", now.version, q), func() (any, error) {
		return f.makePage(context.WithoutCancel(ctx), now, q)
	})
	if err != nil {
		return nil, err
	}
	return made.(*page).Answer, nil
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
	total   int   // of the list
	last    Place // of the page, if entries follow
}

// equal reports whether pages show the same.
func (p part) equal(other part) bool {
	same := func(a, b *entry) bool { return a.listing == b.listing }
	return p.total == other.total && p.last == other.last && slices.EqualFunc(p.entries, other.entries, same)
}

// cut returns the part of the list for a page, and until when it is valid.
func (f *Front) cut(now *snapshot, q Query) (p part, until int64) {
	all := f.selected(now, q.question())
	total, from := len(all.entries), 0
	if q.After != (Place{}) {
		if from = all.search(q.After); from < total && all.placeOf(from) == q.After {
			from++
		}
	} else if from = total; q.Page-1 <= total/q.Limit { // also avoids an overflow
		from = min((q.Page-1)*q.Limit, total)
	}
	end := min(from+q.Limit, total)
	p = part{entries: all.entries[from:end], total: total}
	if end < total {
		p.last = all.placeOf(end - 1)
	}
	return p, all.until
}

func (q Query) pagination(p part) *Pagination {
	shown := &Pagination{PageSize: q.Limit}
	if q.After == (Place{}) {
		shown.Page, shown.TotalCount = q.Page, &p.total
	}
	if p.last != (Place{}) {
		shown.NextCursor = new(p.last.text(q.question()))
	}
	return shown
}

// overhead is the estimated overhead of a cached object, in bytes.
const overhead = 1 << 10

func (f *Front) makePage(ctx context.Context, now *snapshot, q Query) (*page, error) {
	p, until := f.cut(now, q)
	shown, err := f.show(ctx, now, p.entries, q)
	if err != nil {
		return nil, err
	}
	answer, err := newListAnswer(shown, q.pagination(p))
	if err != nil {
		return nil, err
	}
	p.entries = slices.Clone(p.entries)
	fresh := &page{Answer: answer, part: p, book: now.book}
	fresh.checked.Store(&validity{now.version, until})
	if len(p.entries) > 0 { // pages past the end are not cached: their number is unlimited
		f.cache.put(q, fresh, int64(len(answer.Body)+len(answer.Gzip()))+overhead+int64(len(p.entries))*8)
	}
	return fresh, nil
}

// shownKey identifies an activity as an answer shows it.
type shownKey struct {
	id        uuid.UUID
	currency  domain.Currency
	language  string
	affiliate uuid.UUID
}

// shownActivity is an encoded activity, valid for its listing and prices.
type shownActivity struct {
	*listing
	book *priceBook
	text []byte
}

// show returns the encoded activities of a page. It reads from the database those that are not cached.
func (f *Front) show(ctx context.Context, now *snapshot, entries []*entry, q Query) ([][]byte, error) {
	book := now.book
	key := func(id uuid.UUID) shownKey { return shownKey{id, q.Currency, q.Language, q.Affiliate} }
	texts := make(map[uuid.UUID][]byte, len(entries))
	var missing []uuid.UUID
	for _, e := range entries {
		if found, _ := f.cache.get(key(e.id)).(*shownActivity); found != nil && found.listing == e.listing && found.book == book {
			texts[e.id] = found.text
		} else {
			missing = append(missing, e.id)
		}
	}
	if len(missing) > 0 {
		read, err := f.store.ListedActivities(domain.MustShow(ctx, now.changed), q.Filter.Mode, missing) // what is cached must be as new as the index
		if err != nil {
			return nil, err
		}
		for _, a := range read {
			if texts[a.ID], err = json.Marshal(f.withLink(show(a, *book.terms, q.Currency, q.Language), q.Affiliate)); err != nil {
				return nil, err
			}
		}
	}
	shifts := !q.question().isPlain() // when a slot sells out, each later page of a question shows other activities
	var shown [][]byte
	for _, e := range entries {
		text := texts[e.id]
		if text == nil {
			continue // no longer listed; the notification has not arrived yet
		}
		shown = append(shown, text)
		if shifts && slices.Contains(missing, e.id) {
			f.cache.put(key(e.id), &shownActivity{e.listing, book, text}, int64(len(text))+overhead)
		}
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
