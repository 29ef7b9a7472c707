package twin

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// fields are the fields of each endpoint's request.
var fields = map[partnerapi.Endpoint][]string{
	partnerapi.Availability: {"productId", "optionId", "localDateStart", "localDateEnd", "units"},
	partnerapi.Reserve:      {"productId", "optionId", "availabilityId", "units", "contact", "resellerReference"},
	partnerapi.Confirm:      {"reservationConfirmationCode", "contact", "resellerReference"},
	partnerapi.Release:      {"reservationConfirmationCode"},
	partnerapi.Cancel:       {"reason"},
}

// unknownFields matches requests with fields that the contract does not define.
func unknownFields(endpoint partnerapi.Endpoint) string {
	known := fields[endpoint]
	if known == nil {
		return ""
	}
	return fmt.Sprintf(`body: 'type == "object" and (keys - ["%s"] | length) > 0'`, strings.Join(known, `","`))
}

func hasUnknownFields(c *call) bool {
	object, _ := c.request.(map[string]any)
	for name := range object {
		if !slices.Contains(fields[c.endpoint], name) {
			return true
		}
	}
	return false
}

// nonsense learns which invalid requests, which marketplaces do not send, make the partner fail.
func (l *learner) nonsense() (found []learnedFault) {
	for _, of := range []struct {
		endpoint partnerapi.Endpoint
		schema   string
		wrong    string // jq that matches a request with invalid fields
	}{
		{partnerapi.Availability, schemas.AvailabilityRequest, `type == "object" and ([.productId, .optionId, .localDateStart, .localDateEnd] | any(type != "string")) or (.units | type) != "array"`},
		{partnerapi.Reserve, schemas.ReserveRequest, `type == "object" and ([.productId, .optionId, .availabilityId] | any(type != "string")) or (.units | type) != "array" or (.units | length) == 0`},
		{partnerapi.Confirm, schemas.ConfirmRequest, `type == "object" and (.reservationConfirmationCode | type) != "string"`},
		{partnerapi.Release, schemas.ReleaseRequest, `type == "object" and (.reservationConfirmationCode | type) != "string"`},
		{partnerapi.Cancel, schemas.CancelRequest, `type == "object" and (.reason | type) != "string" and .reason != null`},
	} {
		kinds := []struct {
			match string
			is    func(*call) bool
		}{
			{`if: .bytes > 0 and .body == null`, func(c *call) bool { return c.request == nil }},
			{`body: type != "object"`, func(c *call) bool { _, is := c.request.(map[string]any); return c.request != nil && !is }},
			{"body: '" + of.wrong + "'", func(c *call) bool { _, is := c.request.(map[string]any); return is }},
		}
		for _, kind := range kinds {
			calls := l.callsTo(of.endpoint, func(c *call) bool {
				return c.hasGoodKey() && len(c.Body) > 0 && !lawfulBody(of.schema, c) && kind.is(c)
			})
			broke, lost := 0, 0
			for _, c := range calls {
				if c.Status >= http.StatusInternalServerError {
					broke++
				} else if c.Status == 0 {
					lost++
				}
			}
			does := "status: 500"
			if lost > broke {
				does = "fault: EMPTY_RESPONSE"
			}
			if (broke+lost)*2 > len(calls) {
				found = append(found, learnedFault{
					fmt.Sprintf("{match: {endpoint: %s, credential: good, %s}, %s}", of.endpoint, kind.match, does),
					fmt.Sprintf("%s with a body that no marketplace sends: seen in %s of %d", of.endpoint, plural.Count(broke+lost, "answer"), len(calls)),
				})
			}
		}
	}
	return found
}

// strangerFaults learns which calls take effect although they are refused because of their key.
func strangerFaults(s *tracker) (found []learnedFault) {
	for _, endpoint := range partnerapi.Endpoints()[2:] {
		acted, not := 0, 0
		for _, m := range s.moves {
			switch {
			case m.on != unknownCodes(endpoint):
			case m.seats != 0:
				acted++
			default:
				not++
			}
		}
		if acted <= not {
			continue
		}
		for _, key := range []credential{wrongKey, missingKey} {
			found = append(found, learnedFault{
				fmt.Sprintf("{match: {endpoint: %s, credential: %s}, admit: true, when: after, status: 401}", endpoint, key),
				fmt.Sprintf("%s takes effect before the key is checked: seen in %d of %d cases", endpoint, acted, acted+not),
			})
		}
	}
	return found
}

// wrongLimits learns whether the partner fails on an invalid limit. Its faults are written last,
// because they match probes too, whose answers they do not change.
func (l *learner) wrongLimits() []learnedFault {
	calls := l.callsTo(partnerapi.Products, func(c *call) bool {
		limit, err := strconv.Atoi(c.URL.Query().Get("limit"))
		return c.hasGoodKey() && c.URL.Query().Has("limit") && (err != nil || limit < 1)
	})
	broke := 0
	for _, c := range calls {
		if c.Status >= http.StatusInternalServerError {
			broke++
		}
	}
	if broke*2 <= len(calls) {
		return nil
	}
	return []learnedFault{{
		`{match: {endpoint: products, credential: good, query: {limit: "*"}}, answered: 4xx, set_status: 500}`,
		fmt.Sprintf("products with an invalid limit: seen in %s of %d", plural.Count(broke, "answer"), len(calls)),
	}}
}
