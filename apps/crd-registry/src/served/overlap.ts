import { builtinKinds } from '@annex/kinds';

let builtin: Set<string> | undefined;

/**
 * True if a CRD names a built-in resource. Both would store their objects under the same prefix. Such a CRD is not served, and its deletion
 * deletes no objects.
 */
export function overlapsBuiltin(spec: { group: string; names: { plural: string } }): boolean {
  builtin ??= new Set(builtinKinds().map((kind) => `${kind.resource}.${kind.group}`));
  return builtin.has(`${spec.names.plural}.${spec.group}`);
}
