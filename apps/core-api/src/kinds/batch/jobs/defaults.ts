import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject } from '@annex/machinery';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { labelsFromTemplate } from '../../shared/labels.ts';

// The job template of a CronJob gets no defaults of a Job.
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

/** The defaults of the spec of a Job, also in CronJobs. */
export const jobSpecDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern': (pattern) => {
    // Its type is no pointer: an empty status is absent.
    if (!pattern.status) pattern.status = 'True';
  },
};

export const jobDefaults: TypeDefaults = {
  ...jobSpecDefaults,
  'io.k8s.api.batch.v1.Job': job,
  'io.k8s.api.batch.v1.JobCondition': { lastProbeTime: null, lastTransitionTime: null },
};
