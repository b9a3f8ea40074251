import { setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject, type JsonValue } from '@annex/machinery';
import { firstOf } from '../shared/first-of.ts';

const same = (value: JsonValue) => value;

export const nodeDefaults: TypeDefaults = {
  'io.k8s.api.core.v1.NodeCondition': { lastHeartbeatTime: null, lastTransitionTime: null },
  'io.k8s.api.core.v1.NodeSpec': firstOf('podCIDR', 'podCIDRs', same, same),
  'io.k8s.api.core.v1.NodeStatus': (status) => {
    if (isObject(status.capacity)) setAbsent(status, { allocatable: status.capacity });
  },
};
