import { type Default, setAbsent } from '@annex/kinds';

export const csiDriverSpecDefaults: Default = (spec) => {
  setAbsent(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
  if (!Array.isArray(spec.volumeLifecycleModes) || spec.volumeLifecycleModes.length === 0) {
    spec.volumeLifecycleModes = ['Persistent'];
  }
};
