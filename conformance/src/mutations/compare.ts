import { isObject, type JsonValue } from '@annex/machinery';

/** What is compared of a response. */
export interface Observed {
  status: number;
  warnings: string;
  body: JsonValue;
}

const absent = Symbol('absent');
const longest = 400;

/** Returns the differences between two responses to the same body, one a line; `-` is the reference, `+` is Annex. */
export function differencesOf(reference: Observed, annex: Observed, sent: string): string[] {
  const differences: string[] = [];
  if (reference.status !== annex.status) differences.push(`status ${reference.status}, not ${annex.status}`);
  const [left, right] = [normalized(reference.body, sent), normalized(annex.body, sent)];
  if (reference.status < 300 !== annex.status < 300) {
    differences.push(...[left, right].filter(isFailure).map((body) => `  ${shown(messageOf(body))}`));
    return differences;
  }
  const warnings = [reference.warnings, annex.warnings].map(maskedText);
  compare('warnings', warnings[0], warnings[1], differences);
  if (isFailure(left) && isFailure(right)) compareFailures(left, right, differences);
  else compare('', left, right, differences);
  return differences;
}

const isFailure = (body: JsonValue): boolean => isObject(body) && body.kind === 'Status';
const messageOf = (body: JsonValue): JsonValue => (isObject(body) ? (body.message ?? null) : body);

/** Compares the causes; the message only if they are equal, because it repeats them. */
function compareFailures(left: JsonValue, right: JsonValue, into: string[]): void {
  const before = into.length;
  const [mine, theirs] = [causesOf(left), causesOf(right)];
  for (const cause of mine) if (!theirs.includes(cause)) into.push(`- ${cause}`);
  for (const cause of theirs) if (!mine.includes(cause)) into.push(`+ ${cause}`);
  if (into.length === before && mine.join('\n') !== theirs.join('\n'))
    into.push(`order of ${mine.join(' | ')}, not ${theirs.join(' | ')}`);
  // The message repeats the causes, with the difference.
  if (into.length === before && !String(messageOf(left)).includes(difference)) compare('', left, right, into);
}

function causesOf(status: JsonValue): string[] {
  const details = isObject(status) ? status.details : undefined;
  const causes = isObject(details) && Array.isArray(details.causes) ? details.causes : [];
  return causes
    .filter(isObject)
    .map(({ field, reason, message }) =>
      `${field} ${reason} ${withoutDifference(String(message))}`.slice(0, 4 * longest),
    );
}

/** Removes the difference of two Go values, which Annex does not have (docs/reference/deviations.md). */
const withoutDifference = (text: string): string => text.split(difference, 1)[0]?.trimEnd() ?? '';

/** Begins the difference of two Go values. */
const difference = '\n@@ ';

function compare(
  path: string,
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  into: string[],
): void {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index++)
      compare(`${path}[${index}]`, left[index], right[index], into);
  } else if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)].sort()))
      compare(`${path}.${name}`, left[name], right[name], into);
  } else if (JSON.stringify(left) !== JSON.stringify(right)) {
    into.push(`${path}: ${shown(left ?? absent)}, not ${shown(right ?? absent)}`);
  }
}

function shown(value: JsonValue | undefined | typeof absent): string {
  if (value === absent || value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Fields whose values a server chooses if the client sends none. */
const allocated = new Set(['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort']);

/** Hides what differs at each request: times, uids, revisions, allocated addresses and ports. */
function normalized(value: JsonValue, sent: string): JsonValue {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map((item) => normalized(item, sent));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]): [string, JsonValue] => {
      if (name === 'resourceVersion') return [name, '<revision>'];
      const text = String(field);
      if (allocated.has(name) && text !== 'None' && !sent.includes(text)) return [name, '<allocated>'];
      return [name, normalized(field, sent)];
    }),
  );
}

const maskedText = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/20[23]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
