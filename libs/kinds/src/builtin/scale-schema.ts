import type { ObjectSchema } from '@annex/schema';
import { builtinKinds } from './kinds.ts';

let recorded: ObjectSchema | undefined;

/** The schema of `Scale` of `autoscaling/v1`, which is recorded beside those built-in kinds that have it. */
export function scaleSchema(): ObjectSchema {
  recorded ??= builtinKinds((group) => group === 'apps').find(({ resource }) => resource === 'deployments')
    ?.subresources.scale?.schema;
  if (recorded === undefined) throw new Error('autoscaling/v1 Scale is not recorded');
  return recorded;
}
