import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTestCA } from '@annex/testkit';
import { stringifyJson } from '@annex/machinery';

/** A server and how clients verify it. */
export interface Place {
  server: string;
  /** The file with the CA of its certificate. */
  ca: string;
  /** The name in its certificate, if it is not that of the URL. */
  serverName?: string;
}

function writeKubeconfig(file: string, place: Place, user: Record<string, string>): string {
  const cluster = {
    server: place.server,
    'certificate-authority': place.ca,
    ...(place.serverName === undefined ? {} : { 'tls-server-name': place.serverName }),
  };
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'it', user }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  writeFileSync(file, stringifyJson(content), { mode: 0o600 });
  return file;
}

/** Writes a kubeconfig with a bearer token. */
export const tokenKubeconfig = (file: string, place: Place, token: string): string =>
  writeKubeconfig(file, place, { token });

/** Writes kubeconfigs of a user with a client certificate that the CA in `pki` signed, one for each place. */
export function certificateKubeconfigs(folder: string, pki: string, user: string, places: readonly Place[]) {
  const { certificate, key } = loadTestCA(pki).issue({ commonName: user, organizations: ['authors'] });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return places.map((place, i) =>
    writeKubeconfig(join(folder, `${user}-${i}.kubeconfig`), place, {
      'client-certificate-data': base64(certificate),
      'client-key-data': base64(key),
    }),
  );
}
