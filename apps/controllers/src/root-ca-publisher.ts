import { deepEqual, isReason, type KubeObject } from '@annex/machinery';
import { isNamespaceTerminating } from './api.ts';
import type { Controller, ControllerDeps } from './controller.ts';
import { everyNamespace } from './namespaces/every-namespace.ts';

const name = 'kube-root-ca.crt';
const annotation = 'kubernetes.io/description';
// kube's text, which tools show.
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Maintains a ConfigMap `kube-root-ca.crt` with the CA of the API server in every namespace. */
export const rootCaPublisher = (deps: ControllerDeps): Controller => {
  const data = { 'ca.crt': deps.rootCa };
  return everyNamespace(deps, 'root_ca_cert_publisher', {
    path: '/api/v1/configmaps',
    name,
    watched: ['modified', 'deleted'],
    async sync(namespace, current) {
      if (current !== undefined && isPublished(current, data)) return;
      const collection = `/api/v1/namespaces/${namespace}/configmaps`;
      await (
        current === undefined
          ? deps.api.json({ method: 'POST', path: collection, body: configMap(namespace, data) })
          : deps.api.json({
              method: 'PUT',
              path: `${collection}/${name}`,
              body: withData(current, data),
            })
      ).catch((error: unknown) => {
        if (!isReason(error, 'NotFound') && !isNamespaceTerminating(error)) throw error;
      });
    },
  });
};

type Data = Record<string, string>;

const isPublished = (current: KubeObject, data: Data): boolean =>
  deepEqual(current.data as never, data) && (current.metadata.annotations?.[annotation] ?? '') !== '';

const configMap = (namespace: string, data: Data): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, annotations: { [annotation]: description } },
  data,
});

const withData = (current: KubeObject, data: Data): KubeObject => ({
  ...current,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    ...current.metadata,
    annotations: { ...current.metadata.annotations, [annotation]: description },
  },
  data,
});
