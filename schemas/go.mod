module partnerkit.dev/schemas

go 1.26
