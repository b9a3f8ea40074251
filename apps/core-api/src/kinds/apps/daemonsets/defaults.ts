import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject, type JsonObject } from '@annex/machinery';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { rollingUpdate } from '../shared/rolling-update.ts';

/** A counter of template changes from before `metadata.generation` existed; clients still read it. */
export const templateGeneration = 'deprecated.daemonset.template.generation';

const daemonSet: Default = (object) => {
  const metadata = (isObject(object.metadata) ? object.metadata : {}) as JsonObject;
  const provided = isObject(metadata.annotations) ? metadata.annotations : {};
  if (provided[templateGeneration] !== undefined) return;
  object.metadata = { ...metadata, annotations: { ...provided, [templateGeneration]: '0' } };
};

const daemonSetSpec: Default = (spec) => {
  setAbsent(spec, { revisionHistoryLimit: 10 });
  rollingUpdate(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
};

export const daemonSetDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.apps.v1.DaemonSet': daemonSet,
  'io.k8s.api.apps.v1.DaemonSetSpec': daemonSetSpec,
  'io.k8s.api.apps.v1.DaemonSetCondition': { lastTransitionTime: null },
};
