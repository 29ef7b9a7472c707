module partnerkit.dev/examples/generators/oapi-codegen

go 1.26
