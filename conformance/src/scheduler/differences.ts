import { isDeepStrictEqual } from 'node:util';
import type { ExpectedPod, Expectation, PodState, SeenEvent } from './scenario.ts';

/** The differences of Pods from their expected states. Each Pod that is not listed is one. */
export function podDifferences(
  expected: Readonly<Record<string, ExpectedPod>>,
  seen: ReadonlyMap<string, PodState>,
): string[] {
  const listed = Object.entries(expected).flatMap(([name, state]) => {
    const found = seen.get(name);
    return found === undefined ? [`Pod ${name} is missing`] : stateDifferences(name, state, found);
  });
  const others = [...seen].filter(([name]) => !Object.hasOwn(expected, name));
  return [
    ...listed,
    ...others.map(([name, state]) => `Pod ${name} is not expected to change: ${JSON.stringify(state)}`),
  ];
}

function stateDifferences(name: string, expected: ExpectedPod, seen: PodState): string[] {
  const { nodes, conditions, ...exact } = expected;
  const wanted: PodState = { ...exact };
  if (wanted.node === '*' || nodes?.includes(seen.node ?? '')) wanted.node = seen.node ?? '(any)';
  else if (nodes !== undefined) wanted.node = `one of ${nodes.join()}`;
  if (conditions !== undefined)
    wanted.condition =
      conditions.find((one) => isDeepStrictEqual(one, seen.condition)) ?? conditions[0] ?? null;
  const fields = new Set([...Object.keys(wanted), ...Object.keys(seen)]) as Set<keyof PodState>;
  return [...fields]
    .filter((field) => !isDeepStrictEqual(wanted[field] ?? null, seen[field] ?? null))
    .map((field) => `Pod ${name}: ${field} is ${text(seen[field])}, not ${text(wanted[field])}`);
}

/** The events to compare. */
export interface EventComparison {
  expected: readonly (SeenEvent & { optional?: boolean })[];
  seen: readonly SeenEvent[];
  pods: ReadonlyMap<string, PodState>;
  /** Events FailedScheduling that are not listed are allowed. */
  passing: boolean;
}

/** The differences of events: missing ones, and those that are not listed. */
export function eventDifferences({ expected, seen, pods, passing }: EventComparison): string[] {
  const wanted = new Map(
    expected.map(({ optional = false, ...event }) => {
      const node = pods.get(event.about)?.node ?? 'null';
      return [canonical({ ...event, note: event.note.replaceAll('{node}', node) }), optional];
    }),
  );
  const found = new Map(seen.map((event) => [canonical(event), event]));
  const missing = [...wanted].filter(([key, optional]) => !optional && !found.has(key));
  const others = [...found].filter(
    ([key, { reason }]) => !wanted.has(key) && !(passing && reason === 'FailedScheduling'),
  );
  return [
    ...missing.map(([key]) => `an event is missing: ${key}`),
    ...others.map(([key]) => `an event is not expected: ${key}`),
  ];
}

/** The differences of the numbers of Pods by node or by label of a node. */
export function spreadDifferences(
  expected: Required<Pick<Expectation, 'spread'>>['spread'],
  pods: ReadonlyMap<string, PodState>,
  labelOf: (node: string, key: string) => string | undefined,
): string[] {
  return expected.flatMap(({ pods: prefix, by, counts, sizes }) => {
    const placed = [...pods]
      .filter(([name]) => name.startsWith(prefix))
      .flatMap(([, { node }]) => (node ? [by === 'node' ? node : (labelOf(node, by) ?? '')] : []));
    const found = Object.fromEntries(
      [...Map.groupBy(placed, (at) => at)].map(([at, { length }]) => [at, length]),
    );
    const largestFirst = Object.values(found).toSorted((a, b) => b - a);
    const isEqual =
      (counts === undefined || isDeepStrictEqual({ ...counts }, found)) &&
      (sizes === undefined || isDeepStrictEqual([...sizes], largestFirst));
    return isEqual
      ? []
      : [`the spread of ${prefix}* by ${by} is ${text(found)}, not ${text(counts ?? sizes)}`];
  });
}

/** The value at a path of keys and indices; `#` is the length of a list. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = key === '#' ? at.length : (at as unknown[])[key as number];
    else at = (at as Record<string, unknown> | null | undefined)?.[key];
    if (at === undefined || at === null) return null;
  }
  return at;
}

/** JSON with the fields of the object in order. */
export const canonical = (object: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1))));

const text = (value: unknown): string => JSON.stringify(value ?? null);
