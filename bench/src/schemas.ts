import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { machineFacts } from './machine.ts';
import { machineLine } from './report.ts';
import { type Json, type JsonRecord, type SchemaEngine, schemaEngines } from './schema-engines.ts';

/** A schema, and a valid object. */
interface Row {
  readonly name: string;
  readonly schema: JsonRecord;
  readonly object: JsonRecord;
}

const objectOf = (properties: JsonRecord, ...required: string[]): JsonRecord => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const text: JsonRecord = { type: 'string' };

const replicas = { type: 'integer', minimum: 1, maximum: 10, default: 1 };
const item = objectOf(
  {
    name: { type: 'string', maxLength: 63 },
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    protocol: { type: 'string', enum: ['TCP', 'UDP'], default: 'TCP' },
  },
  'name',
);
const items = Array.from({ length: 1000 }, (_, i) => ({ name: `port-${i}`, port: i + 1 }));

const rows: readonly Row[] = [
  {
    name: 'three fields, one default',
    schema: objectOf({ spec: objectOf({ cronSpec: text, image: text, replicas }, 'cronSpec') }),
    object: { spec: { cronSpec: '* * * * */5', image: 'my-awesome-cron-image' } },
  },
  ...ofRecording('Gateway', 'HTTPRoute', 'ReferenceGrant'),
  {
    name: '1,000 items of three fields',
    schema: objectOf({ spec: objectOf({ items: { type: 'array', items: item } }) }),
    object: { spec: { items } },
  },
];

/** Returns the first valid object of each of these kinds of the Gateway API. */
function ofRecording(...kinds: string[]): Row[] {
  const file = new URL('../../conformance/recordings/crd-schema/gateway-objects.yaml', import.meta.url);
  const { steps } = parse(readFileSync(file, 'utf8')) as {
    steps: { id: string; request: { body: JsonRecord } }[];
  };
  return kinds.map((kind) => {
    const crd = steps.find(({ id }) => id === `crd-${kind.toLowerCase()}`)?.request.body as {
      spec: { versions: [{ schema: { openAPIV3Schema: JsonRecord } }] };
    };
    const isGood = ({ id, request }: (typeof steps)[number]) =>
      id.startsWith('valid-') && request.body.kind === kind;
    return {
      name: `${kind} of the Gateway API`,
      schema: crd.spec.versions[0].schema.openAPIV3Schema,
      object: steps.find(isGood)?.request.body ?? {},
    };
  });
}

const atMost = 3;
console.log(machineLine(machineFacts()));
let isNear = true;
for (const { name, schema, object } of rows) {
  const json = JSON.stringify({
    apiVersion: 'example.com/v1',
    kind: 'A',
    metadata: { name: 'a' },
    ...object,
  });
  const [ours = 0, theirs = 0] = schemaEngines.map((engine) => microseconds(engine, schema, json));
  const ratio = ours / theirs;
  isNear &&= ratio <= atMost;
  const cells = [ours, theirs].map((time) => `${time.toFixed(2)} µs`.padStart(10));
  console.log(`  ${name.padEnd(34)} @annex/schema ${cells[0]}   ajv ${cells[1]}   ${ratio.toFixed(2)} times`);
}
console.log(`\n${isNear ? '' : 'not '}within ${atMost} times on every row`);

/** Returns the microseconds for one new object: the minimum of many rounds, to reduce the effect of other work on the machine. */
function microseconds(engine: SchemaEngine, schema: JsonRecord, json: string): number {
  const run = engine.compile(schema);
  const batch = json.length > 10_000 ? 2 : 50;
  const fresh = () => Array.from({ length: batch }, () => JSON.parse(json) as Json as JsonRecord);
  let least = Infinity;
  for (let round = 0; round < 500; round++) {
    const objects = fresh();
    const start = performance.now();
    for (const each of objects) {
      if (!run(each)) throw new Error(`${engine.name} rejects the object`);
    }
    least = Math.min(least, performance.now() - start);
  }
  return (least / batch) * 1000;
}
