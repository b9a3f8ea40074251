import { isObject, printScalar } from './paths.ts';
import { define } from './scalars.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const wholeTime = new RegExp(`^(?:${time.source})$`);
const timeKeys = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'time',
  'lastTimestamp',
  'firstTimestamp',
  'eventTime',
  'expirationTimestamp',
]);

/** Values that differ between runs: the ports of helper servers by name. */
export interface Variable {
  readonly name: string;
  readonly port: number;
}

/** Options of the normalization of a step's response. */
export interface NormalizeOptions {
  managedFields?: boolean;
}

/** Returns a copy without the values that differ between servers: uids, times, revisions, ports. */
export function normalize(value: unknown, options: NormalizeOptions, helpers: readonly Variable[]): unknown {
  if (Array.isArray(value)) return normalizeList(value, options, helpers);
  if (typeof value === 'string') return normalizeText(value, helpers);
  if (typeof value === 'number') {
    const helper = helpers.find(({ port }) => port === value);
    return helper === undefined ? value : `<${helper.name}.port>`;
  }
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'storageVersionHash' || (key === 'managedFields' && !options.managedFields)) continue;
    define(result, key, placeholder(key, item) ?? normalize(item, options, helpers));
  }
  markGeneratedName(result.metadata);
  return result;
}

function placeholder(key: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (timeKeys.has(key) && wholeTime.test(value)) return '<time>';
  if (key === 'resourceVersion' && /^\d+$/.test(value) && value !== '0') return '<rv>';
  if (key === 'continue' && value !== '') return '<continue>';
  if (key === 'caBundle') return '<caBundle>';
  if (key === 'token' && value.length > 40) return '<token>';
  return undefined;
}

function markGeneratedName(metadata: unknown): void {
  if (!isObject(metadata)) return;
  const { generateName, name } = metadata;
  if (
    typeof generateName === 'string' &&
    generateName !== '' &&
    String(name ?? '').startsWith(generateName)
  ) {
    metadata.name = `${generateName}<generated>`;
  }
}

function normalizeList(list: unknown[], options: NormalizeOptions, helpers: readonly Variable[]): unknown[] {
  const items = list.map((item) => normalize(item, options, helpers));
  const conditions =
    items.length > 0 && items.every((item) => isObject(item) && 'type' in item && 'status' in item);
  return conditions ? items.sort((a, b) => compareText(typeOf(a), typeOf(b))) : items;
}

const typeOf = (item: unknown): string => String((item as { type: unknown }).type);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function normalizeText(text: string, helpers: readonly Variable[]): string {
  // Most texts contain nothing that the expressions below match.
  if (!/\d|Syntax error: /.test(text)) return text;
  let result = text
    .replaceAll(uuid, '<uid>')
    .replaceAll(time, '<time>')
    .replaceAll(/selfType\d+/g, 'selfType<n>')
    .replaceAll(/Syntax error: [^\n]*/g, 'Syntax error: <text>')
    .replaceAll(/X509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<sha256>');
  for (const { name, port } of helpers) result = result.replaceAll(`:${port}`, `:<${name}.port>`);
  return result.replaceAll(/\?timeout=\d+s/g, '?timeout=<n>s');
}

interface Cause {
  field?: unknown;
  reason?: unknown;
  message?: unknown;
}

/**
 * Sorts the causes of a Status and the parts of its message, because the recorded server reports several
 * errors in random order. With `ordered`, the causes of one field keep their order.
 */
export function sortCauses(body: unknown, ordered: boolean): unknown {
  if (!isObject(body) || body.kind !== 'Status' || !isObject(body.details)) return body;
  const causes = (Array.isArray(body.details.causes) ? body.details.causes : []) as Cause[];
  if (causes.length < 2) return body;
  const sorted = causes.toSorted((a, b) => compareKeys(sortKey(a, ordered), sortKey(b, ordered)));
  const texts = [
    ...new Set(sorted.map((cause) => `${printScalar(cause.field)}: ${printScalar(cause.message)}`)),
  ];
  return {
    ...body,
    message: sortMessage(body.message, texts),
    details: { ...body.details, causes: sorted },
  };
}

function sortKey(cause: Cause, ordered: boolean): string[] {
  const whole = [printScalar(cause.field), printScalar(cause.reason), printScalar(cause.message)];
  // Causes without a field can name several fields.
  const placeless = cause.field === undefined || cause.field === null || cause.field === '<nil>';
  return ordered && !placeless ? whole.slice(0, 1) : whole;
}

function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareText(a[i] ?? '', b[i] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function sortMessage(message: unknown, texts: readonly string[]): unknown {
  const text = typeof message === 'string' ? message : '';
  const start = text.indexOf(' is invalid: [');
  if (start < 0 || !text.endsWith(']')) return message;
  const head = text.slice(0, start + ' is invalid: ['.length);
  const list = text.slice(head.length, -1);
  const same = [...list].sort().join('') === [...texts.join(', ')].sort().join('');
  return same && texts.every((part) => list.includes(part)) ? `${head}${texts.join(', ')}]` : message;
}
