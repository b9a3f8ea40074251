import { builtinKinds } from '@annex/kinds';

let builtin: Set<string> | undefined;

/**
 * True where a CRD names a resource that is built in. Both would keep their objects under one prefix, so such a CRD is
 * neither served nor are "its" objects deleted with it.
 */
export function overlapsBuiltin(spec: { group: string; names: { plural: string } }): boolean {
  builtin ??= new Set(builtinKinds().map((kind) => `${kind.resource}.${kind.group}`));
  return builtin.has(`${spec.names.plural}.${spec.group}`);
}
