import type { Subresource } from '@annex/kinds';
import { getOwn, type ObjectMeta, setOwn } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';

/** Returns a subresource that writes these fields of the spec of a pod. */
export const writesSpecFields = (...fields: readonly string[]): Pick<Subresource, 'write'> => ({
  write(sent, pod) {
    const spec = { ...childOf(pod, 'spec') };
    for (const field of fields) {
      const value = getOwn(childOf(sent, 'spec'), field);
      if (value !== undefined) setOwn(spec, field, value);
    }
    const { resourceVersion, managedFields } = sent.metadata;
    const metadata: ObjectMeta = { ...pod.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
    if (managedFields === undefined) delete metadata.managedFields;
    else metadata.managedFields = managedFields;
    return { ...pod, metadata, spec };
  },
});
