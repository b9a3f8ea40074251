import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { rollingUpdate } from '../shared/rolling-update.ts';

const deploymentSpec: Default = (spec) => {
  setAbsent(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  rollingUpdate(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
};

export const deploymentDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.apps.v1.DeploymentSpec': deploymentSpec,
  'io.k8s.api.apps.v1.DeploymentCondition': { lastUpdateTime: null, lastTransitionTime: null },
};
