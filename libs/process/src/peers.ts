import { getOwn } from '@annex/machinery';
import { requireCAs } from '@annex/auth';
import {
  type ConflictCheck,
  type LiveFiles,
  type LiveKeyPair,
  type LiveText,
  openKeyPair,
  type OptionsTable,
} from '@annex/runtime';
import { endpointOf, Transport } from '@annex/http';
import type { Peer } from '@annex/aggregation';

/**
 * The client certificate of a process for other processes and extension API servers, and the CA that it
 * trusts.
 */
export interface PeerConfig {
  proxyClientCertFile: string;
  proxyClientKeyFile: string;
  backendCaFile: string;
}

/** The options of processes that send requests to other processes. */
export const peerOptions: OptionsTable<PeerConfig> = {
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    type: 'path',
    required: true,
    help: 'The client certificate for other Annex apps and extension API servers.',
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
    help: 'The CA of the certificates of other Annex apps.',
  },
};

/** Returns the option for the URL of an app in another process. */
export const urlOption = <F extends string>(flag: F, app: string) =>
  ({ flag, type: 'string', required: true, help: `Where ${app} is reached: https://host:port.` }) as const;

/** Returns the errors of invalid app URLs. */
export const checkUrls =
  <C extends object>(...names: (keyof C & string)[]): ConflictCheck<C> =>
  (config) =>
    names
      .map((name) => String(getOwn(config, name)))
      .filter((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:')
      .map((url) => `${url} is not an https URL`);

/** The current certificates of a {@link PeerConfig}, PEM. */
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

/** Creates a client of an app in another process by its URL; new connections use the newest certificates. */
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
