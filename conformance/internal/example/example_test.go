package example

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/fieldrule"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestEveryRuleHasAnExampleOfARightAndAWrongAnswer(t *testing.T) {
	t.Parallel()
	for _, r := range rule.All() {
		e, ok := Find(r)
		if !ok || len(e.Right) == 0 || slices.Equal(e.Right, e.Wrong) {
			t.Errorf("%s (%s) has no example", r.ID, r.Title)
		}
	}
}

func TestADerivedExampleIsRightByItsSchemaAndWrongByItsRuleAlone(t *testing.T) {
	t.Parallel()
	for id, e := range derived() {
		if problems := schemas.ValidateValue(e.schema, e.right); len(problems) > 0 {
			t.Errorf("%s: Expected the right answer to fit %s, received %v", id, e.schema, problems)
		}
		if problems := schemas.ValidateValue(e.schema, e.wrong); len(problems) != 1 {
			t.Errorf("%s: Expected one problem of the wrong answer, received %v", id, problems)
		}
	}
	for _, endpoint := range partnerapi.Endpoints() {
		for _, r := range fieldrule.All(endpoint) {
			_, own := exchanges[r.ID]
			if _, is := derived()[r.ID]; !is && !own && !strings.HasSuffix(r.ID, ".json") {
				t.Errorf("no example of %s could be derived", r.ID)
			}
		}
	}
}

// answerSchemas are those of the answers to calls, by how the call begins.
var answerSchemas = map[string]string{
	"GET /products": schemas.ProductsAnswer, "POST /availability": schemas.AvailabilityAnswer, "POST /bookings/reserve": schemas.ReserveAnswer,
	"POST /bookings/confirm": schemas.ConfirmAnswer, "DELETE /bookings/": schemas.ReleaseAnswer, "POST /bookings/B-1/cancel": schemas.CancelAnswer,
}

func TestTheRightAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	for _, r := range rule.All() {
		if _, is := derived()[r.ID]; is {
			continue // it shows a part of an answer
		}
		e, _ := Find(r)
		for _, step := range e.Right {
			var value any
			if err := json.Unmarshal([]byte(step.Answer), &value); err != nil {
				t.Errorf("%s: Expected JSON, received %s", r.ID, step.Answer)
				continue
			}
			for begins, schema := range answerSchemas {
				if !strings.HasPrefix(step.Call, begins) || strings.Contains(step.Call, "(") {
					continue
				}
				switch {
				case strings.HasPrefix(step.Call, "POST /availability/notify"): // it shows what the partner sends
					schema = schemas.AvailabilityNotifyRequest
				case step.Status >= 400:
					schema = schemas.Refusal
				}
				if problems := schemas.ValidateValue(schema, value); len(problems) > 0 {
					t.Errorf("%s: Expected %s to fit %s, received %v", r.ID, step.Answer, schema, problems)
				}
			}
		}
	}
}
