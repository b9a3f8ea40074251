import { isObject, type JsonObject, keepEmptyFields } from '@annex/machinery';
import type { AdmissionPlugin } from '@annex/server';

/** The seconds that a Pod stays on a node that is not ready or unreachable, if the Pod does not say so itself. */
export interface TolerationSeconds {
  notReady: number;
  unreachable: number;
}

/** kube-apiserver's default. */
export const fiveMinutes: TolerationSeconds = { notReady: 300, unreachable: 300 };

/**
 * Adds tolerations for nodes that are not ready or unreachable. Source: "DefaultTolerationSeconds" of the
 * admission controllers documentation.
 */
export function defaultTolerationSeconds({ notReady, unreachable } = fiveMinutes): AdmissionPlugin {
  const taints = [
    { key: 'node.kubernetes.io/not-ready', tolerationSeconds: notReady },
    { key: 'node.kubernetes.io/unreachable', tolerationSeconds: unreachable },
  ];
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['/pods'],
    mutate({ subresource, object }) {
      if (subresource !== '' || object === undefined) return;
      const spec: JsonObject = isObject(object.spec) ? object.spec : {};
      const provided = (Array.isArray(spec.tolerations) ? spec.tolerations : []).filter(isObject);
      const missing = taints.filter(({ key }) => !provided.some((toleration) => tolerates(toleration, key)));
      if (missing.length === 0) return;
      const added = missing.map(({ key, tolerationSeconds }) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds,
      }));
      object.spec = keepEmptyFields({ ...spec, tolerations: [...provided, ...added] }, spec);
    },
  };
}

const tolerates = ({ key = '', effect = '' }: JsonObject, taint: string): boolean =>
  (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
