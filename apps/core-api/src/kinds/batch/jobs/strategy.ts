import { deepEqual, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import type { BuiltinKind } from '../../builtin-kind.ts';

const uidLabel = 'batch.kubernetes.io/controller-uid';

/** Sets a selector for the uid of the Job, unless the client set one. */
function selectOwnPods(job: KubeObject): void {
  const spec = (isObject(job.spec) ? job.spec : {}) as JsonObject;
  if (spec.manualSelector === true) return;
  const { uid = '', name = '' } = job.metadata;
  const template = (isObject(spec.template) ? spec.template : {}) as JsonObject;
  const metadata = (isObject(template.metadata) ? template.metadata : {}) as JsonObject;
  const labels = {
    ...(isObject(metadata.labels) ? metadata.labels : {}),
    [uidLabel]: uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const selector = isObject(spec.selector) ? spec.selector : {};
  const matchLabels = { ...(isObject(selector.matchLabels) ? selector.matchLabels : {}), [uidLabel]: uid };
  // A Job without labels got those of its template by default; the template has more labels now.
  if (deepEqual(job.metadata.labels ?? {}, metadata.labels ?? {})) job.metadata.labels = labels;
  job.spec = {
    ...spec,
    selector: { ...selector, matchLabels },
    template: { ...template, metadata: { ...metadata, labels } },
  };
}

/** The server generates the selectors of Jobs. */
export const jobStrategy: BuiltinKind['strategy'] = {
  allowUnconditionalUpdate: true,
  generation: true,
  orphansByDefault: true,
  prepareForCreate: selectOwnPods,
  deletionWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
};
