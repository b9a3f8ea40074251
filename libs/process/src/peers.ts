import { getOwn } from '@annex/machinery';
import { requireCAs } from '@annex/auth';
import type { ConflictCheck, LiveFiles, LiveText, OptionsTable } from '@annex/runtime';
import { endpointOf, Transport } from '@annex/http';
import type { Peer } from '@annex/aggregation';
import { type LiveKeyPair, openKeyPair } from './live-key-pair.ts';

/** How a process shows itself to the other processes and to extension API servers, and whom it trusts there. */
export interface PeerConfig {
  proxyClientCertFile: string;
  proxyClientKeyFile: string;
  backendCaFile: string;
}

/** The options of processes that ask other processes. */
export const peerOptions: OptionsTable<PeerConfig> = {
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    type: 'path',
    required: true,
    help: 'The certificate shown to our own apps and to extension API servers.',
  },
  proxyClientKeyFile: {
    flag: 'proxy-client-key-file',
    type: 'path',
    required: true,
    help: 'The key of that certificate.',
  },
  backendCaFile: {
    flag: 'backend-ca-file',
    type: 'path',
    required: true,
    help: 'Authorities of the certificates of our own apps.',
  },
};

/** A row for the URL of an app in another process. */
export const urlOption = <F extends string>(flag: F, app: string) =>
  ({ flag, type: 'string', required: true, help: `Where ${app} is reached: https://host:port.` }) as const;

/** Complains about what is no URL of an app. */
export const checkUrls =
  <C extends object>(...names: (keyof C & string)[]): ConflictCheck<C> =>
  (config) =>
    names
      .map((name) => String(getOwn(config, name)))
      .filter((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:')
      .map((url) => `${url} is no https URL`);

/** The certificates of a {@link PeerConfig}, PEM, as they stand now. */
export interface PeerCertificates {
  ca: LiveText;
  client: LiveKeyPair;
}

/** Follows the files of the options. Throws OperatorError FILE_UNREADABLE. */
export async function openPeerCertificates(config: PeerConfig, files: LiveFiles): Promise<PeerCertificates> {
  const [ca, client] = await Promise.all([
    files.open(config.backendCaFile, requireCAs),
    openKeyPair(files, config.proxyClientCertFile, config.proxyClientKeyFile),
  ]);
  return { ca, client };
}

/** Reaches an app in another process by its URL; new connections show and trust the newest certificates. */
export function peerAt(name: string, url: string, { ca, client }: PeerCertificates): Peer {
  const endpoint = endpointOf(url);
  const connect = () =>
    new Transport({
      ca: ca.current(),
      serverName: endpoint.host,
      insecureSkipTLSVerify: false,
      client: client.current(),
    });
  let transport = connect();
  const renew = () => {
    transport.retire();
    transport = connect();
  };
  ca.onChange(renew);
  client.onChange(renew);
  return {
    name,
    endpoint,
    get transport() {
      return transport;
    },
  };
}
