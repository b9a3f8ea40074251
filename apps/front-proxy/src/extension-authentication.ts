import { ensureObject, type ServerDeps } from '@annex/server';

/**
 * Keeps the ConfigMap `extension-apiserver-authentication`: what extension API servers need to know to trust the
 * identities that the front proxy sends them.
 */
export const publishAuthentication = (
  deps: ServerDeps,
  data: Readonly<Record<string, string>>,
): Promise<void> =>
  ensureObject(deps, {
    key: '/registry/configmaps/kube-system/extension-apiserver-authentication',
    own: ['data'],
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
      data,
    },
  });
