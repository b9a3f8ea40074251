import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { labelsFromTemplate } from './core.ts';
import { podDefaults } from '../kinds/shared/pod-spec/defaults.ts';

/** Sets the type of an update strategy, and the parameters of a rolling update where that is the type. */
function rollingUpdate(
  holder: JsonObject,
  field: string,
  parameters: Readonly<Record<string, JsonValue>>,
): void {
  setAbsent(holder, { [field]: {} });
  const strategy = getOwn(holder, field);
  if (!isObject(strategy)) return;
  if (!strategy.type) strategy.type = 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  setAbsent(strategy, { rollingUpdate: {} });
  if (isObject(strategy.rollingUpdate)) setAbsent(strategy.rollingUpdate, parameters);
}

const deploymentSpec: Default = (spec) => {
  setAbsent(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  rollingUpdate(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
};

/** A number that counted changes of the template before generations did; clients still see it. */
export const templateGeneration = 'deprecated.daemonset.template.generation';

const daemonSet: Default = (object) => {
  const metadata = (isObject(object.metadata) ? object.metadata : {}) as JsonObject;
  const given = isObject(metadata.annotations) ? metadata.annotations : {};
  if (given[templateGeneration] !== undefined) return;
  object.metadata = { ...metadata, annotations: { ...given, [templateGeneration]: '0' } };
};

const daemonSetSpec: Default = (spec) => {
  setAbsent(spec, { revisionHistoryLimit: 10 });
  rollingUpdate(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
};

const statefulSetSpec: Default = (spec) => {
  setAbsent(spec, {
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
    updateStrategy: {},
  });
  const { updateStrategy: strategy, persistentVolumeClaimRetentionPolicy: retention } = spec;
  if (isObject(retention)) setAbsent(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' });
  if (!isObject(strategy)) return;
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    setAbsent(strategy, { rollingUpdate: {} });
  }
  if (strategy.type === 'RollingUpdate' && isObject(strategy.rollingUpdate)) {
    setAbsent(strategy.rollingUpdate, { partition: 0 });
  }
};

// The template of a CronJob's Jobs is no Job yet, and is left as it is.
const job: Default = (object) => {
  labelsFromTemplate(object);
  if (!isObject(object.spec)) return;
  const { spec } = object;
  if (spec.parallelism === undefined) setAbsent(spec, { completions: 1 });
  setAbsent(spec, {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2147483647,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
};

const condition = { lastTransitionTime: null };

/** The defaults of apps and batch. */
export const workloadDefaults: TypeDefaults = {
  ...podDefaults,
  'io.k8s.api.apps.v1.DaemonSet': daemonSet,
  'io.k8s.api.apps.v1.DaemonSetSpec': daemonSetSpec,
  'io.k8s.api.apps.v1.DaemonSetCondition': condition,
  'io.k8s.api.apps.v1.DeploymentSpec': deploymentSpec,
  'io.k8s.api.apps.v1.DeploymentCondition': { lastUpdateTime: null, lastTransitionTime: null },
  'io.k8s.api.apps.v1.ReplicaSetSpec': { replicas: 1 },
  'io.k8s.api.apps.v1.ReplicaSetCondition': condition,
  'io.k8s.api.apps.v1.StatefulSetSpec': statefulSetSpec,
  'io.k8s.api.apps.v1.StatefulSetCondition': condition,
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
  'io.k8s.api.batch.v1.Job': job,
  'io.k8s.api.batch.v1.JobCondition': { lastProbeTime: null, lastTransitionTime: null },
  'io.k8s.api.batch.v1.CronJobSpec': {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  },
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern': { status: 'True' },
};
