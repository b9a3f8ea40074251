import { join, resolve } from 'node:path';
import { ensurePki, type PkiFiles, writeCertificate } from '@annex/auth';
import { existsSync } from 'node:fs';
import { IpRange } from '@annex/core-api';
import { type LiveFiles, type LiveKeyPair, type Logger, openKeyPair } from '@annex/runtime';
import {
  type Identities,
  type IdentityFiles,
  loopbackServerName,
  openIdentities,
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
      ...(hasOwnCertificate(config) ? [loopbackServerName] : []),
    ],
    onIssued: (name, why) => log.info('issued a certificate', { name, why }),
  });
  const named = {
    ...(await servingFiles(config, pki)),
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
    ...(hasOwnCertificate(config) ? { named: new Map([[loopbackServerName, pki.apiserver]]) } : {}),
    proxyClient,
    serviceAccount: {
      signingKey: signingKey ?? pki.serviceAccount.key,
      verificationKeys: verificationKeys.length > 0 ? verificationKeys : [pki.serviceAccount.publicKey],
    },
  };
}

/** True if options name a serving certificate. The server then also presents the one of its CA, to clients that send its name. */
const hasOwnCertificate = ({ certDir, tlsCertFile }: UpConfig): boolean =>
  certDir !== undefined || tlsCertFile !== undefined;

/** Returns the files of the serving certificate. In `--cert-dir`, missing files are created. */
async function servingFiles(
  { certDir, tlsCertFile, tlsPrivateKeyFile }: UpConfig,
  { apiserver }: PkiFiles,
): Promise<Pick<IdentityFiles, 'tlsCertFile' | 'tlsPrivateKeyFile'>> {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) return { tlsCertFile, tlsPrivateKeyFile };
  if (certDir === undefined) return { tlsCertFile: apiserver.certFile, tlsPrivateKeyFile: apiserver.keyFile };
  const files = {
    tlsCertFile: join(certDir, 'apiserver.crt'),
    tlsPrivateKeyFile: join(certDir, 'apiserver.key'),
  };
  if (!Object.values(files).some((file) => existsSync(file)))
    await writeCertificate(certDir, 'apiserver', apiserver);
  return files;
}

/** Returns the first address of the Service range, which is that of the Service `kubernetes`. */
const kubernetesServiceIp = ({ serviceClusterIpRange }: UpConfig): string =>
  new IpRange(serviceClusterIpRange).at(1n);
