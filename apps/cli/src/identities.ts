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

/** The certificates, CAs and keys of `annex up`: those that options name, and otherwise those of the data directory. */
export interface UpIdentities extends Identities {
  /** The keys in the data directory. */
  pki: PkiFiles;
  proxyClient: LiveKeyPair;
  serviceAccount: ServiceAccountKeys & { signingKey: string };
}

/** Creates missing files in the data directory, and watches all files for changes. Throws OperatorError FILE_UNREADABLE. */
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

/** Returns the first address of the Service range, which is that of the Service `kubernetes`. */
const kubernetesServiceIp = ({ serviceClusterIpRange }: UpConfig): string =>
  new IpRange(serviceClusterIpRange).at(1n);
