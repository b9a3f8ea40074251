import type { ObjectSchema } from '@annex/schema';
import type { KindBehavior, ResourceKind, Subresource } from '@annex/kinds';

/** The type that an endpoint reads and writes: that of the kind or of the subresource. */
export interface EndpointType {
  group: string;
  version: string;
  kind: string;
  /** See {@link KindBehavior.typed}. */
  typed: boolean;
  /** See {@link KindBehavior.hasKind}. */
  has: KindBehavior['hasKind'];
  schema: ObjectSchema;
  /** The schema of another version of the kind. */
  schemaIn?(version: string): ObjectSchema | undefined;
}

/** A kind, and the subresource if the path names one. */
interface Named {
  kind: ResourceKind;
  subresource?: { spec: Subresource } | undefined;
}

/** Returns the endpoint of a kind or of its subresource. */
export function endpointType({ kind, subresource }: Named): EndpointType {
  const { group, version, kind: name } = subresource?.spec ?? kind;
  const own = subresource?.spec.schema;
  const typed = kind.behavior.typed || own !== undefined;
  const schemaIn = !typed ? kind.storage?.schemaIn : undefined;
  return {
    group,
    version,
    kind: name,
    typed,
    has: kind.behavior.hasKind,
    schema: own ?? kind.schema,
    ...(schemaIn === undefined ? {} : { schemaIn }),
  };
}
