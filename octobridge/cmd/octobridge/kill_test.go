package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	product = "tokyo-market"
	option  = "breakfast"
	shops   = 3 // that book at the same time
)

// mortal is a bridge that is killed again and again, and started again with the same store.
type mortal struct {
	t        *testing.T
	settings []string

	mu    sync.Mutex
	up    *sync.Cond
	now   *serving // nil while it is dead
	kills int      // that are left
}

// url returns the address of the bridge, once it is up.
func (m *mortal) url() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.now == nil {
		m.up.Wait()
	}
	return m.now.url
}

func (m *mortal) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := serve(keys, m.settings...)
	if err != nil {
		m.t.Error(err)
		panic(err) // the others would wait forever
	}
	m.now = s
	m.up.Broadcast()
}

// kill kills the bridge if it is up and has to be killed once more, and reports whether it did.
func (m *mortal) kill() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil || m.kills == 0 {
		return false
	}
	m.kills--
	_ = m.now.command.Process.Kill()
	_ = m.now.command.Wait()
	m.now = nil
	return true
}

func (m *mortal) isDone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kills == 0
}

// between returns what stands between the bridge and its supplier. It kills the bridge in the middle of
// one call of eight: before the supplier has it, before the bridge has the answer, or after.
func (m *mortal) between(supplier http.Handler, random *rand.Rand) http.Handler {
	var mu sync.Mutex
	draw := func() int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(24)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch draw() {
		case 0:
			killed := m.kill()
			supplier.ServeHTTP(w, r)
			if killed {
				m.start()
			}
		case 1:
			supplier.ServeHTTP(w, r)
			if m.kill() {
				m.start()
			}
		case 2:
			supplier.ServeHTTP(w, r)
			go func() {
				if m.kill() {
					m.start()
				}
			}()
		default:
			supplier.ServeHTTP(w, r)
		}
	})
}

// shop books like a marketplace: it reserves once, and repeats everything else until it has an answer.
type shop struct {
	*mortal
	slot                        string
	booked, cancelled, released map[string]bool // by code
	refused                     []string        // holds that were lost
	lost                        int             // reserves without an answer
}

func (s *shop) call(method, path string, body any) (status int, text []byte) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, nil
	}
	request, err := http.NewRequest(method, s.url()+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+authKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(answer.Body); err != nil {
		return 0, nil
	}
	return answer.StatusCode, text
}

// insist repeats a call until the bridge has decided.
func (s *shop) insist(method, path string, body any) (status int, text []byte) {
	for status < 200 || status >= 500 {
		status, text = s.call(method, path, body)
	}
	return status, text
}

func (s *shop) book(n int) {
	status, text := s.call(http.MethodPost, partnerapi.ReservePath, partnerapi.ReserveRequest{
		ProductID: product, OptionID: option, AvailabilityID: s.slot, Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}},
	})
	var held partnerapi.ReserveAnswer
	if status != http.StatusOK || json.Unmarshal(text, &held) != nil {
		s.lost++
		return
	}
	code := held.ReservationConfirmationCode
	if n%3 == 0 {
		s.insist(http.MethodDelete, partnerapi.ReleasePath(code), partnerapi.ReleaseRequest{ReservationConfirmationCode: code})
		s.released[code] = true
		return
	}
	status, text = s.insist(http.MethodPost, partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: code})
	var answer partnerapi.ConfirmAnswer
	if status != http.StatusOK || json.Unmarshal(text, &answer) != nil {
		s.refused = append(s.refused, code+": "+strconv.Itoa(status)+" "+string(text))
		return
	}
	s.booked[code] = true
	if n%3 == 1 {
		s.insist(http.MethodPost, partnerapi.CancelPath(answer.ExternalBookingID), partnerapi.CancelRequest{Reason: "rain"})
		s.cancelled[code] = true
	}
}

// number returns the number in an environment variable, such as KILLS: see make bridge.
func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	check(t, err)
	return n
}

func TestServe_KillsLoseNoHoldAndMakeNoSecondBooking(t *testing.T) {
	t.Parallel()
	kills, seed := number(t, "KILLS", 4), number(t, "SEED", 11)
	mock := mocktest.Start(t, mockpartner.Options{})
	box := mock.Default()
	slots, err := box.Slots(product, option, box.Now().AddDate(0, 0, 9), 7) // the market has days of rest
	check(t, err)
	slot := slots[0].AvailabilityID
	check(t, box.SetSlot(product, option, slot, client.SlotChange{Capacity: new(1_000_000), Vacancies: new(1_000_000)}))
	m := &mortal{t: t, kills: kills}
	m.up = sync.NewCond(&m.mu)
	octo := httptest.NewServer(m.between(mock.OCTO(), rand.New(rand.NewPCG(uint64(seed), 0))))
	t.Cleanup(octo.Close)
	m.settings = []string{"--octo-url", octo.URL, "--store", filepath.Join(t.TempDir(), "bridge.db")}
	m.start()

	began := time.Now()
	var group sync.WaitGroup
	all := make([]*shop, shops)
	for i := range all {
		all[i] = &shop{mortal: m, slot: slot, booked: map[string]bool{}, cancelled: map[string]bool{}, released: map[string]bool{}}
		group.Go(func() {
			for n := 0; !m.isDone(); n++ {
				all[i].book(n)
			}
		})
	}
	group.Wait()
	m.url()
	t.Cleanup(func() { _ = m.now.command.Process.Kill(); _ = m.now.command.Wait() })

	booked, cancelled, released, lost := map[string]bool{}, map[string]bool{}, map[string]bool{}, 0
	for _, s := range all {
		for _, refused := range s.refused {
			t.Errorf("a hold was lost: %s", refused)
		}
		maps.Copy(booked, s.booked)
		maps.Copy(cancelled, s.cancelled)
		maps.Copy(released, s.released)
		lost += s.lost
	}
	t.Logf("%d kills in %s: %d bookings, %d of them cancelled, %d reserves without an answer", kills, time.Since(began).Round(time.Second), len(booked), len(cancelled), lost)
	for _, b := range box.Bookings() {
		if !booked[b.Code] || (b.State == client.Cancelled) != cancelled[b.Code] {
			t.Errorf("a booking that no shop has: %s of %s is %s", b.ID, b.Code, b.State)
		}
		delete(booked, b.Code)
	}
	for code := range booked {
		t.Errorf("a booking of which the supplier does not know: %s", code)
	}
	// A bridge that dies between the store and its answer leaves a hold that no shop knows. The supplier
	// ends it at its expiry.
	left := 0
	for _, hold := range box.Holds() {
		if hold.State == client.Held {
			left++
			if released[hold.Code] {
				t.Errorf("a hold that was released is held: %s", hold.Code)
			}
		}
	}
	if left > lost {
		t.Errorf("want at most the %d holds whose answers were lost to be left, got %d", lost, left)
	}
	for _, violation := range box.Invariants() {
		t.Errorf("%+v", violation)
	}
}
