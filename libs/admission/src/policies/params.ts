import { compileLabelSelector, isObject, type KubeObject, parseGroupVersion } from '@annex/machinery';
import { type KnownObject, type KnownObjects, pause } from '@annex/server';
import type { ParamKind, ParamRef } from './policy-spec.ts';

/** The objects of a paramKind. */
export interface ParamSource {
  /** The prefix of their keys. */
  prefix: string;
  namespaced: boolean;
  objects(): KnownObjects;
  show(known: KnownObject): KubeObject | Promise<KubeObject>;
}

/** The error for a paramKind that is not served. */
export function unknownParamKind({ apiVersion, kind }: ParamKind): Error {
  const { group, version } = parseGroupVersion(apiVersion);
  const named = `${group === '' ? `/${version}` : `${group}/${version}`}, Kind=${kind}`;
  return new Error(`failed to find resource referenced by paramKind: '${named}'`);
}

/**
 * Returns the parameters that a binding refers to; `undefined` in the list means evaluation without
 * parameters. Returns none if they are absent and the binding allows it. Throws kube-apiserver's message if
 * it does not, or if the reference is invalid.
 */
export async function collectParams(
  source: ParamSource | undefined,
  ref: ParamRef | null | undefined,
  namespace: string,
): Promise<(KubeObject | undefined)[]> {
  if (source === undefined || !ref) return [undefined];
  const prefix = paramPrefix(source, ref, namespace);
  const objects = source.objects();
  await objects.waitFor(0);
  const found = ref.name
    ? [objects.get(prefix + ref.name)?.value].filter((known) => known !== undefined)
    : await selected(
        objects.list(prefix).entries.map(({ value }) => value),
        ref,
      );
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  const shown: KubeObject[] = [];
  for (const known of found) {
    const paused = pause();
    if (paused !== undefined) await paused;
    shown.push(await source.show(known));
  }
  return shown;
}

function paramPrefix(source: ParamSource, ref: ParamRef, namespace: string): string {
  if (!source.namespaced) {
    if (!ref.namespace) return source.prefix;
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = ref.namespace || namespace;
  if (place === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  return `${source.prefix}${place}/`;
}

/** Selects in slices, because each object may have to be decoded. */
async function selected(all: readonly KnownObject[], { selector }: ParamRef): Promise<KnownObject[]> {
  const compiled = compileLabelSelector(isObject(selector) ? selector : {});
  const found: KnownObject[] = [];
  for (const known of all) {
    const paused = pause();
    if (paused !== undefined) await paused;
    if (compiled.matches(known.object.metadata.labels)) found.push(known);
  }
  return found;
}
