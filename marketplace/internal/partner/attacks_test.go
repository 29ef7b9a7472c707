package partner_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAnAddressIsRefusedWithoutAWordOnWhatIsThere(t *testing.T) {
	t.Parallel()
	messages := map[string]bool{}
	for name, address := range map[string]string{
		"of this machine": "http://127.0.0.1:9", "private": "http://10.0.0.1", "metadata": "http://169.254.169.254", "no such name": "http://nothing.invalid", "closed port": "http://" + public + ":9",
	} {
		names, _ := resolver(t)
		b := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("want no call to arrive") }, func(c *partner.Config) {
			c.Guard = partner.GuardOf(names)
			if name == "closed port" {
				c.Guard = partner.NewGuard(true)
			}
		})
		var err error
		b.target.BaseURL, err = url.Parse(address)
		check(t, err)
		failed := b.call(t)
		ours, is := failed.(*domain.Error)
		if !is {
			t.Fatalf("%s: want a refusal, got %v", name, failed)
		}
		messages[ours.Message] = true
		b.observes(t, partner.ResultTransport)
	}
	if len(messages) != 1 {
		t.Errorf("want one message for all, got %v", messages)
	}
}

func TestThePartnersKeyIsNotRepeatedToAReseller(t *testing.T) {
	t.Parallel()
	const key = "pk_live_9f86d081884c7d659a2feaa0c55ad015"
	for how, text := range map[string]string{
		"unchanged": key, "in base64": base64.StdEncoding.EncodeToString([]byte("Bearer " + key)), "escaped": url.QueryEscape("<" + key + ">"), "its end": "…" + key[20:], "its beginning": key[:24],
	} {
		answers := map[string]http.HandlerFunc{
			"refused": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_ = json.NewEncoder(w).Encode(map[string]string{"message": "wrong key: " + text})
			},
			"unreadable": func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]string{"reservationConfirmationCode": "c", "expiresAt": text})
			},
			"with tickets": func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]any{"externalBookingId": "B-1", "status": "CONFIRMED", "tickets": text})
			},
		}
		for what, answer := range answers {
			b := setup(t, answer)
			b.target.AuthKey = key
			_, reserved := b.Reserve(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ReserveRequest{}, func(partnerapi.ReserveAnswer, partner.Outcome) {})
			_, confirmed := b.Confirm(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{}, true)
			for _, o := range []partner.Outcome{reserved, confirmed} {
				message := o.Message + strings.Join(o.Breaches, " ")
				if o.Err != nil {
					message += o.Err.Error()
				}
				for _, part := range []string{key[:24], key[20:], base64.StdEncoding.EncodeToString([]byte("Bearer " + key))[12:40]} {
					if strings.Contains(message, part) {
						t.Errorf("%s, %s: want no part of the key, got %q", how, what, message)
					}
				}
			}
		}
	}
}

func TestATicketLeadsNowhereButToAWebPage(t *testing.T) {
	t.Parallel()
	for address, kept := range map[string]bool{
		"https://tickets.example/1.pdf": true, "HTTP://tickets.example/1": true,
		"javascript:alert(1)": false, "JavaScript:alert(1)": false, " javascript:alert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false, "//tickets.example/1": false, "1.pdf": false, "https:": false, "https://": false,
	} {
		b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
			text, _ := json.Marshal(address)
			_, _ = io.WriteString(w, `{"externalBookingId":"B-1","status":"CONFIRMED","tickets":[{"redemptionMethod":"DIGITAL","deliveryOptions":[
				{"deliveryFormat":"PDF_URL","deliveryMethod":"TICKET","deliveryValue":`+string(text)+`}]},{"redemptionMethod":"DIGITAL","deliveryOptions":[
				{"deliveryFormat":"QRCODE","deliveryMethod":"TICKET","deliveryValue":"javascript:is what a scanner reads"}]}]}`)
		})
		booked, o := b.Confirm(t.Context(), soonDeadline(), b.target, partnerapi.Healthy, partnerapi.ConfirmRequest{}, true)
		has := slices.ContainsFunc(booked.Tickets, func(ticket partnerapi.Ticket) bool { return ticket.DeliveryOptions[0].DeliveryValue == address })
		if o.Kind != partner.Done || has != kept || kept != (len(o.Breaches) == 0) || len(booked.Tickets) == 0 {
			t.Errorf("%q: want it kept: %t, and a breach where it is not, got %+v, %+v", address, kept, booked, o)
		}
	}
}
