import { type KubeObject, stringifyJson } from '@annex/machinery';
import type { TrackingOptions } from './apply-object.ts';

export type VersionConverter = NonNullable<TrackingOptions['convert']>;

/** The same where conversion takes a call to a webhook. */
export type AsyncVersionConverter = (
  ...args: Parameters<VersionConverter>
) => ReturnType<VersionConverter> | Promise<ReturnType<VersionConverter>>;

/** Stops a run at a conversion whose result is not known yet. */
class ConversionNeeded extends Error {
  readonly key: string;
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(key: string, object: KubeObject, apiVersion: string) {
    super(`a conversion to ${apiVersion} is needed`);
    this.key = key;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/**
 * Runs `applyPatch` or `trackUpdate` with an asynchronous converter: the run is repeated with each conversion that it turns out to
 * need, of which there are none unless managers wrote in other versions. `run` must start anew each time.
 */
export async function withAsyncConversion<T>(
  convert: AsyncVersionConverter,
  run: (convert: VersionConverter) => T,
): Promise<T> {
  const known = new Map<string, ReturnType<VersionConverter>>();
  const lookUp: VersionConverter = (object, apiVersion) => {
    const key = `${apiVersion} ${stringifyJson(object)}`;
    if (!known.has(key)) throw new ConversionNeeded(key, object, apiVersion);
    return known.get(key);
  };
  for (;;) {
    try {
      return run(lookUp);
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      known.set(error.key, await convert(error.object, error.apiVersion));
    }
  }
}
