import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject } from '@annex/machinery';
import { claimStatusDefaults } from '../../core/persistentvolumeclaims/defaults.ts';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';

const statefulSetSpec: Default = (spec) => {
  setAbsent(spec, {
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
    updateStrategy: {},
  });
  // The conversion of kube-apiserver adds the type of the claims.
  if (Array.isArray(spec.volumeClaimTemplates))
    spec.volumeClaimTemplates = spec.volumeClaimTemplates.map((claim) =>
      isObject(claim) ? { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claim } : claim,
    );
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

export const statefulSetDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.apps.v1.StatefulSetSpec': statefulSetSpec,
  'io.k8s.api.apps.v1.StatefulSetCondition': { lastTransitionTime: null },
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': claimStatusDefaults,
};
