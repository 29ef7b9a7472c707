package schemas_test

import (
	"fmt"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func ExampleValidate() {
	answer := []byte(`[{"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00", "status": "OPEN", "vacancies": 3.5}]`)
	for _, problem := range schemas.Validate(schemas.AvailabilityAnswer, answer) {
		fmt.Println(problem)
	}
	// Output:
	// [0].localDateTimeEnd: missing, expected a date-time with a UTC offset, such as 2026-07-01T09:00:00+02:00
	// [0].localDateTimeStart: expected a date-time with a UTC offset, such as 2026-07-01T09:00:00+02:00, received "2026-07-01T09:00:00"
	// [0].status: expected one of AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, received "OPEN"
	// [0].vacancies: expected a number of seats, an integer from 0 to 2147483647, received 3.5
}

func ExampleDecode() {
	var slot partnerapi.Slot
	text := []byte(`{"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00Z", "localDateTimeEnd": "2026-07-01T11:00:00Z",
		"status": "LIMITED", "vacancies": 2.0, "unitPricing": [{"unitId": "unit-adult", "price": 2500, "currency": "EUR"}]}`)
	if problems := schemas.Decode(schemas.Slot, text, &slot); problems != nil {
		fmt.Println(problems)
		return
	}
	fmt.Println(*slot.Vacancies, slot.UnitPricing[0].Original, slot.UnitPricing[0].Currency)
	// Output: 2 2500 EUR
}
