import { isReason } from '@annex/machinery';
import { isNamespaceTerminating } from './api.ts';
import type { Controller, ControllerDeps } from './controller.ts';
import { everyNamespace } from './namespaces/every-namespace.ts';

const name = 'default';

/** Maintains a ServiceAccount `default` in every namespace. */
export const serviceAccountController = (deps: ControllerDeps): Controller =>
  everyNamespace(deps, 'serviceaccount', {
    path: '/api/v1/serviceaccounts',
    name,
    watched: ['deleted'],
    async sync(namespace, current) {
      if (current !== undefined) return;
      const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      await deps.api.json({ method: 'POST', path, body }).catch((error: unknown) => {
        if (!isReason(error, 'AlreadyExists') && !isNamespaceTerminating(error)) throw error;
      });
    },
  });
