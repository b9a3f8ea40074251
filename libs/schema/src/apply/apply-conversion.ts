import { type KubeObject, StatusError, stringifyJson } from '@annex/machinery';
import type { TrackingOptions } from './apply-object.ts';
import { TypedError } from '../typed-values/typed-value.ts';

export type VersionConverter = NonNullable<TrackingOptions['convert']>;
type Converted = ReturnType<VersionConverter>;

/** The same where conversion may take a call to a webhook. */
export type AsyncVersionConverter = (...args: Parameters<VersionConverter>) => Converted | Promise<Converted>;

/** Stops a run at a conversion whose result is not known yet. */
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
 * Runs `applyPatch` or `trackUpdate` with a converter that may be asynchronous: where it is, the run is repeated with each conversion
 * that it turns out to need, of which there are none unless managers wrote in other versions. `run` must start anew each time.
 */
export function withConversion<T>(
  convert: AsyncVersionConverter,
  run: (convert: VersionConverter) => T,
): T | Promise<T> {
  const known = new Map<string, Outcome>();
  const lookUp: VersionConverter = (object, apiVersion) => {
    const outcome = known.size > 0 ? known.get(keyOf(object, apiVersion)) : undefined;
    if (outcome !== undefined) return open(outcome);
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

/** A conversion that fails does so inside of the run that needs it. */
const settled = (result: Promise<Converted>): Promise<Outcome> =>
  result.then(
    (converted) => ({ converted }),
    (error: unknown) => ({ error }),
  );

function open(outcome: Outcome): Converted {
  if ('error' in outcome) throw outcome.error;
  return outcome.converted;
}

/** Runs a part of a merge; what its conversions fail with is told with where that was. */
export function within<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TypedError || error instanceof StatusError)) throw error;
    throw new TypedError([{ path: '', message: prefix + error.message }]);
  }
}
