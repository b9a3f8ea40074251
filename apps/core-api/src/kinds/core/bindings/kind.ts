import type { ServerDeps } from '@annex/server';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { bind, podPrefix, requireTarget } from '../pods/binding.ts';

/** Bindings that are created in the namespace instead of at the pod. */
export const bindings = (deps: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'bindings',
  strategy: {
    async respond(binding, request) {
      requireTarget(binding);
      const cache = deps.feed.objects(podPrefix);
      await cache.waitFor();
      const key = `${podPrefix}${binding.metadata.namespace ?? ''}/${binding.metadata.name ?? ''}`;
      return bind(deps, binding, cache.get(key)?.value.object, request);
    },
  },
});
