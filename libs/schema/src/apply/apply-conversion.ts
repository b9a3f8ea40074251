import { type KubeObject, StatusError, stringifyJson } from '@annex/machinery';
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

/**
 * Runs `applyPatch` or `trackUpdate` with a converter that can be asynchronous. Each asynchronous conversion aborts the run
 * and repeats it with the result. Conversions are needed only if managers wrote in other versions. `run` must have no side
 * effects.
 */
export function withConversion<T>(
  convert: AsyncVersionConverter,
  run: (convert: VersionConverter) => T,
): T | Promise<T> {
  const known = new Map<string, Outcome>();
  const lookUp: VersionConverter = (object, apiVersion) => {
    const outcome = known.size > 0 ? known.get(keyOf(object, apiVersion)) : undefined;
    if (outcome !== undefined) return unwrap(outcome);
    const converted = convert(object, apiVersion);
    if (!(converted instanceof Promise)) return converted;
    throw new ConversionNeeded(keyOf(object, apiVersion), converted);
  };
  const repeat = async (needed: ConversionNeeded): Promise<T> => {
    known.set(needed.key, await settled(needed.result));
    return await attempt();
  };
  const attempt = (): T | Promise<T> => {
    try {
      return run(lookUp);
    } catch (error) {
      if (error instanceof ConversionNeeded) return repeat(error);
      throw error;
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

/** Runs a part of a merge, and adds a prefix to the errors of its conversions. */
export function prefixErrors<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TypedError || error instanceof StatusError)) throw error;
    throw new TypedError([{ path: '', message: prefix + error.message }]);
  }
}
