import {
  countParts,
  type DividedVisit,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  visitedAtOnce,
} from '@annex/machinery';

/** What is done with a member of an object or an item of a list. */
interface PartVisits {
  /** Visits a part that has few parts itself. */
  atOnce(part: JsonValue, key: string | number): void;
  /** Visits a part that has many. */
  inPasses(part: JsonValue, key: string | number): Passes<void>;
}

/** Visits the members of an object, or the items of a list, in passes. A part has few parts up to a limit. */
export function* eachPart(
  value: JsonObject | readonly JsonValue[],
  visits: DividedVisit,
  { atOnce, inPasses }: PartVisits,
  fewParts = visitedAtOnce,
): Passes<void> {
  const keys = Array.isArray(value) ? value.keys() : yield* namesInPasses(value);
  for (const key of keys) {
    if (visits.exceeds()) yield* visits.next();
    // permitted: no-inherited-keys, these are its own names
    const part = (value as Record<string | number, JsonValue>)[key] as JsonValue;
    const parts = countParts(part, fewParts);
    if (parts > fewParts) {
      yield* inPasses(part, key);
    } else {
      visits.count(parts);
      atOnce(part, key);
    }
  }
}
