package schemas_test

import "partnerkit.dev/schemas"

func serviceFields() []field {
	return []field{
		must(schemas.DoneAnswer, "/success").success(`1`, `0`),
		must(schemas.DoneAnswer, "/data").lawful(`{}`).object(),

		must(schemas.StatusAnswer, "/success").success(`1`, `0`),
		must(schemas.StatusAnswer, "/data").lawful(`{"status": "alive"}`).object(),
		must(schemas.StatusAnswer, "/data/status").oneOf("alive", "ready"),
	}
}
