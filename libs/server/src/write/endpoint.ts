import type { ObjectSchema } from '@annex/schema';
import type { WriteContext } from './context.ts';

/** The type that an endpoint reads and writes: that of the kind, or that of the subresource. */
export interface Endpoint {
  group: string;
  version: string;
  kind: string;
  /** False where objects of this type are Go values in kube-apiserver: they are tracked with fields that are always there. */
  custom: boolean;
  schema: ObjectSchema;
  /** The schema of another version of the kind. */
  schemaIn?(version: string): ObjectSchema | undefined;
}

export function endpointOf({ kind, subresource }: Pick<WriteContext, 'kind' | 'subresource'>): Endpoint {
  const { group, version, kind: name } = subresource?.spec ?? kind;
  const own = subresource?.spec.schema;
  const custom = kind.custom && own === undefined;
  const schemaIn = custom ? kind.storage?.schemaIn : undefined;
  return {
    group,
    version,
    kind: name,
    custom,
    schema: own ?? kind.schema,
    ...(schemaIn === undefined ? {} : { schemaIn }),
  };
}
