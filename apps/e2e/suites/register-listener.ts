import { apiServiceManifest, externalServiceManifest } from '@annex/testkit';
import { vi } from 'vitest';
import type { HostileServer } from './hostile-server.ts';
import { patienceMs } from './patience.ts';

/** A listener on this machine as the extension API server of a group. */
export interface ListenerRegistration {
  group: string;
  /** The Service that points to it; its certificate is for `<service>.default.svc`. */
  service: string;
  port: number;
  /** PEM of the CA that signed its certificate. */
  ca: string;
}

/** Registers a listener for `v1` of a group. Resolves when the path is served through the front proxy. */
export async function registerListener(
  server: HostileServer,
  registration: ListenerRegistration,
  servedPath: string,
): Promise<void> {
  await server.make(
    'POST',
    '/api/v1/namespaces/default/services',
    externalServiceManifest(registration.service),
  );
  await server.make('POST', '/apis/apiregistration.k8s.io/v1/apiservices', apiServiceManifest(registration));
  await vi.waitUntil(async () => (await server.ask({ path: servedPath })).status === 200, {
    timeout: patienceMs,
  });
}
