// Package openapi reads the OpenAPI documents that lie beside it: Bundle makes one text
// of a document and the schema files that it refers to, and a Document judges HTTP
// exchanges by what it describes.
package openapi
