import { isObject, type JsonObject } from '@annex/machinery';
import type { AdmissionPlugin } from '@annex/server';

/** The default seconds that a pod stays on a node that is not ready or unreachable. */
const seconds = 300;
const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/**
 * Adds tolerations for nodes that are not ready or unreachable. Source: "DefaultTolerationSeconds" of the
 * admission controllers documentation.
 */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  resources: ['/pods'],
  mutate({ subresource, object }) {
    if (subresource !== '' || object === undefined) return;
    const spec: JsonObject = isObject(object.spec) ? object.spec : {};
    const provided = (Array.isArray(spec.tolerations) ? spec.tolerations : []).filter(isObject);
    const missing = taints.filter((taint) => !provided.some((toleration) => tolerates(toleration, taint)));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: seconds,
    }));
    object.spec = { ...spec, tolerations: [...provided, ...added] };
  },
};

const tolerates = ({ key = '', effect = '' }: JsonObject, taint: string): boolean =>
  (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
