import { join, resolve } from 'node:path';
import { ensurePki, type PkiFiles } from '@annex/auth';
import { IpRange } from '@annex/core-api';
import type { LiveFiles, Logger } from '@annex/runtime';
import {
  type Identities,
  type LiveKeyPair,
  openIdentities,
  openKeyPair,
  readServiceAccountKeys,
  type ServiceAccountKeys,
} from '@annex/process';
import { advertisedAddress, type UpConfig } from './up-options.ts';

/** The certificates, CAs and keys of `annex up`: those that options name, and those of the data directory for the rest. */
export interface UpIdentities extends Identities {
  /** The keys of the data directory. */
  pki: PkiFiles;
  proxyClient: LiveKeyPair;
  serviceAccount: ServiceAccountKeys & { signingKey: string };
}

/** Makes what the data directory does not have, and follows the files. Throws OperatorError FILE_UNREADABLE. */
export async function openUpIdentities(
  config: UpConfig,
  files: LiveFiles,
  log: Logger,
): Promise<UpIdentities> {
  const pki = await ensurePki(join(resolve(config.dataDir), 'pki'), {
    subjectAltNames: [
      ...new Set([config.bindAddress, advertisedAddress(config)]),
      kubernetesServiceIp(config),
    ],
    onIssued: (name, why) => log.info('issued a certificate', { name, why }),
  });
  const named = {
    tlsCertFile: pki.apiserver.certFile,
    tlsPrivateKeyFile: pki.apiserver.keyFile,
    clientCaFile: config.clientCaFile ?? pki.ca.certFile,
    requestheaderClientCaFile: config.requestheaderClientCaFile ?? pki.frontProxyCa.certFile,
  };
  const own = pki.frontProxyClient;
  const [identities, proxyClient, { signingKey, verificationKeys }] = await Promise.all([
    openIdentities(named, files),
    openKeyPair(files, config.proxyClientCertFile ?? own.certFile, config.proxyClientKeyFile ?? own.keyFile),
    readServiceAccountKeys(config),
  ]);
  return {
    ...identities,
    pki,
    proxyClient,
    serviceAccount: {
      signingKey: signingKey ?? pki.serviceAccount.key,
      verificationKeys: verificationKeys.length > 0 ? verificationKeys : [pki.serviceAccount.publicKey],
    },
  };
}

/** The Service `kubernetes` has the first address of the range. */
const kubernetesServiceIp = ({ serviceClusterIpRange }: UpConfig): string =>
  new IpRange(serviceClusterIpRange).at(1n);
