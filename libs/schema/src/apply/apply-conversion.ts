import {
  finish,
  finishInSlices,
  type KubeObject,
  type Passes,
  StatusError,
  stringifyJson,
} from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { TypedError } from '../typed-values/typed-value.ts';

/**
 * Converts an object to another version; `undefined` for an unknown version. Must not change its argument. Throws a
 * StatusError if the conversion fails.
 */
export type VersionConverter = (
  object: KubeObject,
  apiVersion: string,
) => { object: KubeObject; schema: SchemaNode } | undefined;
type Converted = ReturnType<VersionConverter>;

/** A version converter that can call a webhook. */
export type AsyncVersionConverter = (...args: Parameters<VersionConverter>) => Converted | Promise<Converted>;

/** Aborts a run at a conversion whose result is not available yet. */
class ConversionNeeded extends Error {
  readonly key: string;
  readonly result: Promise<Converted>;

  constructor(key: string, result: Promise<Converted>) {
    super('a conversion is needed');
    this.key = key;
    this.result = result;
  }
}

type Outcome = { converted: Converted } | { error: unknown };

/** The conversions of one write whose results are known. */
class KnownConversions {
  readonly #convert: AsyncVersionConverter;
  readonly #known = new Map<string, Outcome>();

  constructor(convert: AsyncVersionConverter) {
    this.#convert = convert;
  }

  readonly lookUp: VersionConverter = (object, apiVersion) => {
    const outcome = this.#known.size > 0 ? this.#known.get(keyOf(object, apiVersion)) : undefined;
    if (outcome !== undefined) return unwrap(outcome);
    const converted = this.#convert(object, apiVersion);
    if (!(converted instanceof Promise)) return converted;
    throw new ConversionNeeded(keyOf(object, apiVersion), converted);
  };

  /** Waits for the conversion that a run needs. Throws every other error. */
  async wait(error: unknown): Promise<void> {
    if (!(error instanceof ConversionNeeded)) throw error;
    this.#known.set(error.key, await settled(error.result));
  }
}

/**
 * Runs an apply or the tracking of an update with a converter that can be asynchronous. Each asynchronous conversion aborts the
 * run and repeats it with the result. Conversions are needed only if managers wrote in other versions. `run` must have no side
 * effects before its last pass. With `pause`, passes over a large object are slices, between which other requests are served.
 */
export function withConversion<T>(
  convert: AsyncVersionConverter,
  run: (convert: VersionConverter) => Passes<T>,
  pause?: () => Promise<void> | undefined,
): T | Promise<T> {
  const conversions = new KnownConversions(convert);
  const again = (error: unknown): Promise<T> => conversions.wait(error).then(attempt);
  const attempt = (): T | Promise<T> => {
    if (pause !== undefined) return finishInSlices(run(conversions.lookUp), pause).catch(again);
    try {
      return finish(run(conversions.lookUp));
    } catch (error) {
      return again(error);
    }
  };
  return attempt();
}

const keyOf = (object: KubeObject, apiVersion: string): string => `${apiVersion} ${stringifyJson(object)}`;

/** Keeps the error of a failed conversion, so that the repeated run throws it. */
const settled = (result: Promise<Converted>): Promise<Outcome> =>
  result.then(
    (converted) => ({ converted }),
    (error: unknown) => ({ error }),
  );

function unwrap(outcome: Outcome): Converted {
  if ('error' in outcome) throw outcome.error;
  return outcome.converted;
}

/** Adds a prefix to the errors of conversions in passes. */
export function* prefixErrors<T>(prefix: string, passes: Passes<T>): Passes<T> {
  try {
    return yield* passes;
  } catch (error) {
    throw prefixed(prefix, error);
  }
}

const prefixed = (prefix: string, error: unknown): unknown =>
  error instanceof TypedError || error instanceof StatusError
    ? new TypedError([{ path: '', message: prefix + error.message }])
    : error;
