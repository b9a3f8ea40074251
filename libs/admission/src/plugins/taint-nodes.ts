import { isObject, type JsonObject } from '@annex/machinery';
import type { AdmissionPlugin } from '@annex/server';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/**
 * Adds the taint "not-ready" to new nodes. Source: "TaintNodesByCondition" of the admission controllers
 * documentation.
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  resources: ['/nodes'],
  mutate({ operation, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
    const spec: JsonObject = isObject(object.spec) ? object.spec : {};
    const taints = (Array.isArray(spec.taints) ? spec.taints : []).filter(isObject);
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    object.spec = { ...spec, taints: [...taints, { ...notReady }] };
  },
};
