package twin

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/schemas/partnerapi"
)

// partner is a live partner. It receives only the requests of a catalog sync: nothing is held or
// booked.
type partner struct {
	base    *url.URL
	options Options
	client  *http.Client
	made    int
	next    time.Time // when the next call may be made
	now     func() time.Time
}

func newPartner(o Options) (*partner, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("expected the partner's base URL, such as https://partner.example/api")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the base URL has a user, a query or a fragment: leave them out")
	}
	p := &partner{base: base, options: o, client: o.HTTP, now: o.Now}
	if p.client == nil {
		// A redirect leads elsewhere, and the target must not receive the key.
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetClientCertificate: connection.SendCertificate(o.Certificate)}
		p.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if p.options.MaxCalls == 0 {
		p.options.MaxCalls = DefaultMaxCalls
	}
	return p, nil
}

// errEnough is returned when the maximum number of calls was made.
var errEnough = errors.New("no more calls may be made")

// maxAnswer is the maximum size of an answer, in bytes.
const maxAnswer = 32 << 20

// ask makes one call and adds it to the history. A call without an answer is added too.
func (p *partner) ask(ctx context.Context, l *learner, endpoint partnerapi.Endpoint, address *url.URL, body any) (*call, error) {
	if p.made == p.options.MaxCalls {
		return nil, errEnough
	}
	if err := p.await(ctx); err != nil {
		return nil, err
	}
	p.made++
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	limited, cancel := context.WithTimeout(connection.Watch(ctx), 2*endpoint.Timeout(partnerapi.Healthy))
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, address.String(), bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", p.options.AuthType.Authorization(p.options.AuthKey))
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "partnerkit-mockpartner-learn")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	c := &call{endpoint: endpoint, key: goodKey, live: true, Exchange: har.Exchange{
		Started: p.now(), Method: method, URL: address, Header: http.Header{}, Body: sent,
	}}
	began := time.Now()
	response, err := p.client.Do(request)
	if err == nil {
		c.Status, c.AnswerHeader = response.StatusCode, response.Header
		c.Answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
		response.Body.Close()
		c.AnswerCut = err != nil || len(c.Answer) > maxAnswer
	}
	c.Took = time.Since(began)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		c.Error = connection.NewFailure(limited, err).Error()
	}
	c.parse()
	l.calls = append(l.calls, c)
	l.called++
	return c, nil
}

// await delays calls to keep the rate.
func (p *partner) await(ctx context.Context) error {
	if p.options.Rate <= 0 {
		return ctx.Err()
	}
	wait := time.Until(p.next)
	p.next = time.Now().Add(max(wait, 0) + time.Duration(float64(time.Second)/p.options.Rate))
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readAll reads the catalog and the slots of every option.
func (p *partner) readAll(ctx context.Context, l *learner) error {
	first, err := p.readCatalog(ctx, l)
	if err != nil {
		return err
	}
	err = p.readSlots(ctx, l, first)
	if errors.Is(err, errEnough) {
		l.note("The partner was called %d times, the maximum. The rest was not read: raise --max-calls.", p.made)
		return nil
	}
	return err
}

func (p *partner) products(query url.Values) *url.URL {
	address, _ := partnerapi.URL(p.base, partnerapi.ProductsPath, query) // the path is a constant
	return address
}

// readCatalog pulls the catalog twice, probes it, and requests recent changes. Its error says why
// the catalog cannot be read.
func (p *partner) readCatalog(ctx context.Context, l *learner) (first *call, err error) {
	for _, query := range []url.Values{nil, nil, {"limit": {"1"}}, {"updated_since": {"2000-01-01T00:00:00Z"}}} {
		c, err := p.ask(ctx, l, partnerapi.Products, p.products(query), nil)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = c
			switch {
			case c.Status == 0:
				return nil, fmt.Errorf("GET %s: the partner does not answer: %s", c.URL.Redacted(), c.Error)
			case c.Status == http.StatusUnauthorized || c.Status == http.StatusForbidden:
				return nil, fmt.Errorf("GET %s: expected 200, received %d: check the key and --auth-type", c.URL.Redacted(), c.Status)
			}
		}
	}
	return first, nil
}

// readSlots requests the slots of each option from today on, for the days that a sync looks ahead.
func (p *partner) readSlots(ctx context.Context, l *learner, catalog *call) error {
	address, err := partnerapi.URL(p.base, partnerapi.AvailabilityPath, nil)
	if err != nil {
		return err
	}
	for _, product := range productsIn(catalog.answer) {
		zone := zoneOf(product)
		today := p.now().In(zone)
		options, _ := field(product, "options").([]any)
		for _, option := range options {
			wanted := partnerapi.AvailabilityRequest{
				ProductID: text(field(product, "id")), OptionID: text(field(option, "id")),
				LocalDateStart: today.Format(partnerapi.DateLayout),
				LocalDateEnd:   today.AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout),
				Units:          []partnerapi.UnitQuantity{{ID: unitToAsk(option), Quantity: 1}},
			}
			if wanted.ProductID == "" || wanted.OptionID == "" {
				continue
			}
			if _, err := p.ask(ctx, l, partnerapi.Availability, address, wanted); err != nil {
				return err
			}
		}
	}
	return nil
}

// productsIn returns the products of an answer in either form (PRD-1), or in a similar one.
func productsIn(answer any) []any {
	if object, ok := answer.(map[string]any); ok {
		answer = object[wrapperOf(object)]
	}
	products, _ := answer.([]any)
	return products
}

// zoneOf returns the product's zone, or UTC if it has no valid one.
func zoneOf(product any) *time.Location {
	zone, err := time.LoadLocation(text(field(product, "timeZone")))
	if err != nil {
		return time.UTC
	}
	return zone
}

// unitToAsk returns the unit for availability requests.
func unitToAsk(option any) string {
	units, _ := field(option, "units").([]any)
	first := partnerapi.AdultUnitID
	for i, unit := range units {
		id := text(field(unit, "id"))
		if id == partnerapi.AdultUnitID {
			return id
		}
		if i == 0 && id != "" {
			first = id
		}
	}
	return first
}
