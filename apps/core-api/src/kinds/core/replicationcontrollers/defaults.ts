import type { Default, TypeDefaults } from '@annex/kinds';
import { isObject } from '@annex/machinery';
import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { copyOf, hasNoLabels, labelsFromTemplate, labelsOfMetadata } from '../../shared/labels.ts';

const replicationController: Default = (object) => {
  if (!isObject(object.spec)) return;
  const labels = labelsOfMetadata(object.spec.template);
  if (labels !== undefined && hasNoLabels(object.spec.selector)) object.spec.selector = copyOf(labels);
  labelsFromTemplate(object);
};

export const replicationControllerDefaults: TypeDefaults = {
  ...podSpecDefaults,
  'io.k8s.api.core.v1.ReplicationController': replicationController,
  'io.k8s.api.core.v1.ReplicationControllerCondition': { lastTransitionTime: null },
};
