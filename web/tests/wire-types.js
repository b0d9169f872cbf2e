// Writes the types of the wire protocol for the page, `protocol/protocol.d.ts`, from the schema of the server. An
// optional part is absent rather than null, in messages of the server and of the page.

import { readFileSync, writeFileSync } from "node:fs";

const schema = JSON.parse(readFileSync(new URL("../../crates/wire/schema.json", import.meta.url), "utf8"));
const types = Object.entries(schema.$defs).map(
  ([name, definition]) => `/** ${definition.description} */\nexport type ${name} = ${typeOf(definition)};\n`,
);
const methods = Object.entries(schema.methods).map(
  ([name, { parameters, answer }]) => `${name}: { parameters: ${typeOf(parameters)}; answer: ${typeOf(answer)} };\n`,
);
const notifications = Object.entries(schema.notifications).map(
  ([name, { parameters }]) => `${name}: ${typeOf(parameters)};\n`,
);
const maps = Object.entries({ Methods: methods, Notifications: notifications }).map(
  ([name, entries]) => `export type ${name} = {\n${entries.join("")}};\n`,
);
const text = [...types, ...maps].join("");
writeFileSync(new URL("../protocol/protocol.d.ts", import.meta.url), text);

/** The type of TypeScript for a schema. @returns {string} */
function typeOf(schema) {
  const { $ref, type, const: constant, anyOf, oneOf = anyOf, items, prefixItems } = schema;
  if ($ref) return $ref.replace("#/$defs/", "");
  if (constant !== undefined) return JSON.stringify(constant);
  if (oneOf?.every(isTagged))
    return objectOf({ properties: Object.assign({}, ...oneOf.map(({ properties }) => properties)) });
  if (oneOf) return oneOf.map(typeOf).join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ");
  if (prefixItems) return `[${prefixItems.map(typeOf).join(", ")}]`;
  if (type === "array") return `(${typeOf(items)})[]`;
  if (type === "object") return objectOf(schema);
  return type === "integer" ? "number" : (type ?? "unknown");
}

/** Whether a schema is of an object with one part, by whose name it is known from others. */
function isTagged({ properties = {}, required = [] }) {
  return required.length === 1 && Object.keys(properties).length === 1;
}

function objectOf({ properties = {}, required = [], additionalProperties }) {
  const parts = Object.entries(properties).map(([name, part]) => {
    if (required.includes(name)) return `${name}: ${typeOf(part)}`;
    return `${name}?: Exclude<${typeOf(part)}, null>`;
  });
  if (typeof additionalProperties === "object") parts.push(`[name: string]: ${typeOf(additionalProperties)}`);
  return `{ ${parts.join("; ")} }`;
}
