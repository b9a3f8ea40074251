import { FieldPath, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { podStatus } from './core/pods/status.ts';
import { podStatusErrors } from './core/pods/status-validation.ts';
import { validateEphemeralContainers } from './core/pods/ephemeral-containers.ts';
import { validatePodUpdate } from './core/pods/update.ts';
import { validatePod } from './core/pods/validation.ts';
import { fixedDrivers, validateCsiNodeSpec } from './storage/csinodes/validation.ts';
import { validateStorageClass } from './storage/storageclasses/validation.ts';

const many = 60_000;
const list = <T>(item: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => item(index));
const pod = (spec: object, status: object = {}) =>
  ({ metadata: { name: 'p', namespace: 'n' }, spec, status }) as unknown as KubeObject;
const claim = (claimName: string) => ({ persistentVolumeClaim: { claimName } });

/** Comparing each item with each other one would take minutes. */
it.each<[string, () => unknown, unknown]>([
  [
    'claims of the volumes of a Pod',
    () =>
      validatePod(
        pod({
          volumes: list((i) =>
            i % 2 === 0
              ? { name: `v${i}`, ephemeral: {} }
              : { name: `v${i}`, ...claim(i === 1 ? 'p-v0' : `c${i}`) },
          ),
        }),
      ).filter(({ detail }) => detail.startsWith('must not reference a PVC')).length,
    1,
  ],
  [
    'tolerations that an update keeps',
    () => {
      const tolerations = list((i) => ({ key: `k${i}`, operator: 'Exists' }));
      const later = tolerations.toReversed().map((one) => ({ ...one, tolerationSeconds: 1 }));
      return validatePodUpdate(pod({ tolerations: later }), pod({ tolerations })).map(
        ({ field }) => field,
      )[0];
    },
    'spec.tolerations[0].effect',
  ],
  [
    'scheduling gates that an update keeps',
    () => {
      const schedulingGates = list((i) => ({ name: `a.b/g${i}` }));
      return validatePodUpdate(
        pod({ schedulingGates: schedulingGates.toReversed() }),
        pod({ schedulingGates }),
      );
    },
    [],
  ],
  [
    'ephemeral containers that a write keeps',
    () => {
      const ephemeralContainers = list((i) => ({ name: `e${i}` }));
      const after = pod({ ephemeralContainers: ephemeralContainers.toReversed() });
      return validateEphemeralContainers(after, pod({ ephemeralContainers })).filter(({ detail }) =>
        detail.startsWith('existing'),
      );
    },
    [],
  ],
  [
    'addresses of a Pod that its status keeps',
    () => {
      const podIPs = list((i) => ({ ip: `x${i}` }));
      const errors = podStatusErrors(pod({}, { podIPs: podIPs.toReversed() }), pod({}, { podIPs }));
      return errors.filter(({ field }) => field.startsWith('status.podIPs['));
    },
    [],
  ],
  [
    'conditions of a Pod that keep their generation',
    async () => {
      const conditions = list((i) => ({ type: `t${i}`, status: 'True', observedGeneration: i + 1 }));
      const sent = pod({}, { conditions: conditions.toReversed().map(({ type }) => ({ type })) });
      const kept = await podStatus.write?.(sent, pod({}, { conditions }), {} as never);
      return (kept as unknown as { status: { conditions: object[] } }).status.conditions[0];
    },
    { type: `t${many - 1}`, observedGeneration: many },
  ],
  [
    'topologies of a StorageClass',
    () => {
      const term = (key: string) => ({ matchLabelExpressions: [{ key, values: ['b', 'a'] }] });
      const allowedTopologies = [...list((i) => term(`k${i}`)), term('k1')];
      const storageClass = { provisioner: 'a', volumeBindingMode: 'Immediate', allowedTopologies };
      return validateStorageClass(storageClass, FieldPath.root).map(({ field }) => field);
    },
    [`allowedTopologies[${many}].matchLabelExpressions`],
  ],
  [
    'values of a topology',
    () => {
      const matchLabelExpressions = [{ key: 'k', values: [...list((i) => `v${i}`), 'v1'] }];
      const allowedTopologies = [{ matchLabelExpressions }];
      const storageClass = { provisioner: 'a', volumeBindingMode: 'Immediate', allowedTopologies };
      return validateStorageClass(storageClass, FieldPath.root).map(({ field }) => field);
    },
    [`allowedTopologies[0].matchLabelExpressions[0].values[${many}]`],
  ],
  [
    'topology keys of a driver',
    () => {
      const topologyKeys = [...list((i) => `k${i}`), 'k1'];
      const drivers = [{ name: 'd', nodeID: 'n', topologyKeys }];
      return validateCsiNodeSpec({ drivers }, FieldPath.root).map(({ type, badValue }) => [type, badValue]);
    },
    [['FieldValueDuplicate', 'k1']],
  ],
  [
    'drivers of a node',
    () => {
      const node = (nodeID: string) => {
        const drivers = list((i) => ({ name: `d${i}`, nodeID: i === 1 ? nodeID : 'n' }));
        return { spec: { drivers } } as unknown as KubeObject;
      };
      return fixedDrivers(node('a'), node('b')).length;
    },
    1,
  ],
])('many %s are compared in linear time', async (_what, check, expected) => {
  expect(await check()).toEqual(expected);
});
