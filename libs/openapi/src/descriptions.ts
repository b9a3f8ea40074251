import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getOwn, isObject, type JsonObject, lazily } from '@annex/machinery';
import type { RecordedComponents } from '@annex/kinds';

/** By component: its description under the empty name, and the descriptions of its fields. */
type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const text = lazily(() => readFileSync(new URL('../data/descriptions.json', import.meta.url), 'utf8'));
const descriptions = lazily(() => JSON.parse(text()) as Descriptions);

/** Returns a hash that changes with every description. */
export const descriptionsHash: () => string = lazily(() =>
  createHash('sha256').update(text()).digest('hex').slice(0, 16),
);

/** Returns copies of recorded components with descriptions. */
export function describedComponents(components: RecordedComponents): JsonObject {
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, described(name, schema)]),
  );
}

function described(name: string, schema: JsonObject): JsonObject {
  const own = getOwn(descriptions(), name) ?? {};
  const description: JsonObject = own[''] === undefined ? {} : { description: own[''] };
  if (!isObject(schema.properties)) return { ...description, ...schema };
  const properties = Object.entries(schema.properties).map(([field, property]) => {
    const text = field === '' ? undefined : getOwn(own, field);
    return [field, text === undefined || !isObject(property) ? property : { description: text, ...property }];
  });
  return { ...description, ...schema, properties: Object.fromEntries(properties) as JsonObject };
}
