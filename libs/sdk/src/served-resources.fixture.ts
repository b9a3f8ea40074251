import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueClientCertificate } from '@annex/auth';
import { Client } from '@annex/client';
import { tempFolder } from '@annex/testkit';
import { startApiServer } from './api-server.fixture.ts';
import { createExtensionServer, type ExtensionServerOptions } from './extension-server.ts';

/** An extension API server in front of a test's API server, and a client of an administrator. */
export interface ServedResources {
  admin: Client;
  stop(): Promise<void>;
}

/** Serves resources of a group; `user` is the name of the administrator. */
export async function serveResources(
  { group, resources }: Pick<ExtensionServerOptions, 'group' | 'resources'>,
  user = 'admin',
): Promise<ServedResources> {
  const folder = tempFolder('annex-sdk-');
  const api = await startApiServer();
  const server = await createExtensionServer({
    group,
    resources,
    apiServer: api.config,
    certificate: { dir: folder.path, names: ['localhost'] },
    port: 0,
  });
  const admin = new Client({
    server: server.url.replace('127.0.0.1', 'localhost'),
    ca: readFileSync(join(folder.path, 'ca.crt'), 'utf8'),
    ...(await issueClientCertificate(api.clientCa, { user, groups: ['system:masters'] })),
  });
  return {
    admin,
    async stop() {
      admin.close();
      await server.stop();
      await api.stop();
      folder[Symbol.dispose]();
    },
  };
}
