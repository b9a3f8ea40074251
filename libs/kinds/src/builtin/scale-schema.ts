import type { ObjectSchema } from '@annex/schema';
import { builtinKinds } from './kinds.ts';

let recorded: ObjectSchema | undefined;

/**
 * Returns the schema of `Scale` of `autoscaling/v1`, which is recorded with the built-in kinds that have this
 * subresource.
 */
export function scaleSchema(): ObjectSchema {
  recorded ??= builtinKinds((group) => group === 'apps').find(({ resource }) => resource === 'deployments')
    ?.subresources.scale?.schema;
  if (recorded === undefined) throw new Error('autoscaling/v1 Scale is not recorded');
  return recorded;
}
