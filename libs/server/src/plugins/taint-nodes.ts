import { isObject, type JsonObject } from '@annex/machinery';
import type { AdmissionPlugin } from '../admission.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node gets no pods before somebody says that it is ready. Source: "TaintNodesByCondition" of the admission controllers documentation. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ kind, operation, subresource, object }) {
    if (kind.resource !== 'nodes' || kind.group !== '' || operation !== 'CREATE') return;
    if (subresource !== '' || object === undefined) return;
    const spec: JsonObject = isObject(object.spec) ? object.spec : {};
    const given = (Array.isArray(spec.taints) ? spec.taints : []).filter(isObject);
    if (given.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    object.spec = { ...spec, taints: [...given, { ...notReady }] };
  },
};
