import { StateKey } from '../../framework/cycle.ts';
import { definePlugin } from '../../framework/plugin.ts';
import { failed, unschedulable } from '../../framework/status.ts';

const stateKey = new StateKey<object>('DynamicResources');

export const dynamicResources = definePlugin('DynamicResources', () => ({
  preFilter(cycle) {
    cycle.write(stateKey, {});
    return 'skip';
  },
  // A plugin before this one refused the Pod: kube-scheduler reports the missing state.
  postFilter: (cycle) => ({
    status:
      cycle.read(stateKey) === undefined ? failed('not found') : unschedulable('no new claims to deallocate'),
  }),
}));
