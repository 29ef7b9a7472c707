"""Writes partnerkit_marketplace/types.py from an OpenAPI document: a TypedDict for every schema.

    python3 generate.py openapi.yaml
"""

from __future__ import annotations

import re
import sys
import textwrap
from keyword import iskeyword
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).parent / "partnerkit_marketplace" / "types.py"

HEADER = '''"""The schemas of the marketplace's API, as types. Generated from its OpenAPI document: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union
'''

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict[str, Any]", "array": "list[Any]"}


class Writer:
    """Writes types; an object inside another gets a type of its own."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self.schemas = schemas
        self.written: list[str] = []

    def write(self) -> str:
        for name, schema in sorted(self.schemas.items()):
            if "properties" in schema:
                self.object(name, schema)
            else:
                self.written.append(f"{name} = {self.type_of(schema, name)}\n")
        # Aliases come last: they name classes.
        self.written.sort(key=lambda text: not text.startswith("class "))
        return HEADER + "\n\n" + "\n\n".join(self.written)

    def object(self, name: str, schema: dict[str, Any]) -> str:
        required = set(schema.get("required", []))
        if any(iskeyword(field) or not field.isidentifier() for field in schema["properties"]):
            fields = {field: self.type_of(of, name + pascal(field)) for field, of in schema["properties"].items()}
            rows = [f"        {field!r}: {type_ if field in required else f'NotRequired[{type_}]'!r}," for field, type_ in fields.items()]
            self.written.append("\n".join([f"{name} = TypedDict(", f"    {name!r},", "    {", *rows, "    },", ")", ""]))
            return name
        lines = [f"class {name}(TypedDict):"]
        if description := schema.get("description"):
            lines.append(textwrap.indent(f'"""{clean(description)}"""', "    "))
            lines.append("")
        for field, of in schema["properties"].items():
            type_ = self.type_of(of, name + pascal(field))
            if description := of.get("description"):
                lines += [f"    # {line}" for line in textwrap.wrap(clean(description), 110)]
            lines.append(f"    {field}: {type_ if field in required else f'NotRequired[{type_}]'}")
        self.written.append("\n".join(lines) + "\n")
        return name

    def type_of(self, schema: dict[str, Any], name: str) -> str:
        if ref := schema.get("$ref"):
            return str(ref).rsplit("/", 1)[1]
        if "anyOf" in schema:
            return f"Union[{', '.join(self.type_of(one, name) for one in schema['anyOf'])}]"
        if "allOf" in schema:
            return self.type_of(schema["allOf"][0], name)
        if "enum" in schema or "const" in schema:
            return f"Literal[{', '.join(repr(one) for one in schema.get('enum', [schema.get('const')]))}]"
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        return " | ".join(self.one_type(type_, schema, name) for type_ in types) or "Any"

    def one_type(self, type_: str, schema: dict[str, Any], name: str) -> str:
        if type_ == "array" and "items" in schema:
            return f"list[{self.type_of(schema['items'], name + 'Item')}]"
        if type_ == "object" and "properties" in schema:
            return self.object(name, schema)
        if type_ == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"dict[str, {self.type_of(schema['additionalProperties'], name + 'Value')}]"
        return SCALARS[type_]


def pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))


def clean(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")


if __name__ == "__main__":
    document = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    TARGET.write_text(Writer(document["components"]["schemas"]).write(), encoding="utf-8")
