import { deepEqual, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { withLabels } from '../../shared/labels.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

const uidLabel = 'batch.kubernetes.io/controller-uid';

/** Sets a selector for the uid of the Job, unless the client set one. */
function selectOwnPods(job: KubeObject): void {
  const spec = (isObject(job.spec) ? job.spec : {}) as JsonObject;
  if (spec.manualSelector === true) return;
  const { uid = '', name = '' } = job.metadata;
  const template = (isObject(spec.template) ? spec.template : {}) as JsonObject;
  const metadata = (isObject(template.metadata) ? template.metadata : {}) as JsonObject;
  // A Job without labels got those of its template by default; the template gets more labels here.
  const hasLabelsOfTemplate = deepEqual(job.metadata.labels ?? {}, metadata.labels ?? {});
  const labels = withLabels(metadata.labels, {
    [uidLabel]: uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  });
  const selector = isObject(spec.selector) ? spec.selector : {};
  const matchLabels = withLabels(selector.matchLabels, { [uidLabel]: uid });
  if (hasLabelsOfTemplate) job.metadata.labels = labels as Record<string, string>;
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
