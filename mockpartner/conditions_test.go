package mockpartner_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAConditionSeesTheRequestAndThoseBeforeIt(t *testing.T) {
	t.Parallel()
	for condition, applies := range map[string]bool{
		`.party.guests == 2 and .party.types == 1`:                       true,
		`.party.units[0].id == "unit-child"`:                             false,
		`.slot.vacancies > 2 and .slot.position == 0`:                    true,
		`.hold == null and .booking == null`:                             true,
		`.endpoint == "reserve" and .method == "POST"`:                   true,
		`.body.resellerReference == "b-1"`:                               true,
		`.headers["content-type"] == "application/json"`:                 true,
		`.headers | has("authorization")`:                                false,
		`.before[0].endpoint == "products" and .before[0].status == 200`: true,
		`.before | length > 1`:                                           false,
		`.under_way | length > 0`:                                        false,
		`.connection.authorized > 1`:                                     true,
		`.count == 2`:                                                    true,
		`.since.pulls > 0 | not`:                                         true,
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			slot := c.slot(20)
			c.arm(`{status: 500, match: {endpoint: reserve, if: '` + condition + `'}}`)
			c.call("GET", "/products", "").is(200, schemas.ProductsAnswer)
			a := c.send("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2), nil)
			if fired := a.status == 500; fired != applies {
				t.Errorf("want applies %t, got %d: %s; %+v", applies, a.status, a.body, c.fault().Counts)
			}
		})
	}
}

func TestASimilarKeyIsRecognizedByItsKinds(t *testing.T) {
	t.Parallel()
	kinds := []string{"other-case", "shorter", "longer", "part", "same-start", "same-end", "same-length", "padded", "other-scheme", "scheme-case", "empty"}
	for header, wanted := range map[string]string{
		"Bearer " + key:                  "",
		"Bearer " + strings.ToUpper(key): "other-case same-length",
		"Bearer " + key[:6]:              "shorter part same-start",
		"Bearer " + key + "x":            "longer same-start",
		"Bearer " + key[2:5]:             "part",
		"Bearer " + "xx" + key:           "same-end",
		"Bearer \"" + key + "\"":         "padded",
		"Basic " + key:                   "other-scheme",
		key:                              "other-scheme",
		"BEARER " + key:                  "scheme-case",
		"Bearer":                         "empty",
		"Bearer " + strings.Repeat("z", len(key)):   "same-length",
		"Bearer quite-another-key-and-a-longer-one": "",
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			c.key = ""
			for _, kind := range kinds {
				c.mock.Default().Faults().Clear()
				c.arm(`{match: {credential: ` + kind + `}, status: 418}`)
				got := c.send("GET", "/products?limit=1", "", http.Header{"Authorization": {header}}).status == 418
				if want := strings.Contains(" "+wanted+" ", " "+kind+" "); got != want {
					t.Errorf("want %s %t, got %t", kind, want, got)
				}
			}
		})
	}
}

func TestACachedAnswerIsGivenAgainToTheSameRequest(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(20)
	c.arm(`{match: {endpoint: reserve}, cache: {for: 10m, by: ".body.units"}}`)
	one, two := c.send("POST", partnerapi.ReservePath, reserveBody(slot.ID, 1), nil), c.send("POST", partnerapi.ReservePath, reserveBody(slot.ID, 1), nil)
	other := c.send("POST", partnerapi.ReservePath, reserveBody(slot.ID, 2), nil)
	if one.body != two.body || other.body == one.body || one.status != 200 {
		t.Errorf("want one hold for the same party and another for another, got %s, %s and %s", one.body, two.body, other.body)
	}
	if holds := c.mock.Default().Platform().Holds(); len(holds) != 2 {
		t.Errorf("want two holds, got %+v", holds)
	}
}

func TestARequestIsChangedBeforeThePartnerSeesIt(t *testing.T) {
	t.Parallel()
	c := start(t)
	slot := c.slot(20)
	c.arm(`{match: {endpoint: reserve}, request: ".units[0].quantity = 1"}`)
	c.send("POST", partnerapi.ReservePath, reserveBody(slot.ID, 3), nil)
	if holds := c.mock.Default().Platform().Holds(); len(holds) != 1 || holds[0].Seats != 1 {
		t.Errorf("want a hold of one seat, got %+v", holds)
	}
}

func TestTheTextOfAnAnswerIsReplaced(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.arm(`{match: {endpoint: products}, replace: {find: '"original":(\d+)', with: '"original":$1.0'}}`)
	if a := c.call("GET", "/products", "").is(200, schemas.ProductsAnswer); !strings.Contains(a.body, ".0") {
		t.Errorf("want amounts with a point, got %s", a.body)
	}
}

func TestAFaultCountsByConnection(t *testing.T) {
	t.Parallel()
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Now: noon, Frozen: true, Seed: 1})
	check(t, err)
	server := httptest.NewUnstartedServer(mock)
	server.Listener = onePort{server.Listener}
	server.Start()
	t.Cleanup(server.Close)
	c := newCaller(t, mock, server.URL)
	c.arm(`{match: {endpoint: products}, key: connection, after: 1, status: 503}`)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	for i, want := range []int{200, 503, 200} {
		if i == 2 {
			transport.CloseIdleConnections()
		}
		request, _ := http.NewRequestWithContext(t.Context(), "GET", c.base+"/products", nil)
		request.Header.Set("Authorization", c.key)
		answer, err := transport.RoundTrip(request)
		check(t, err)
		var body [1 << 20]byte
		for _, err := answer.Body.Read(body[:]); err == nil; _, err = answer.Body.Read(body[:]) {
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("call %d: want %d, got %d", i, want, answer.StatusCode)
		}
	}
}

// onePort is a listener whose connections all come from one port, as a machine under load
// has it: one after another.
type onePort struct{ net.Listener }

func (l onePort) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	return fromOnePort{connection}, err
}

type fromOnePort struct{ net.Conn }

func (fromOnePort) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000} }
