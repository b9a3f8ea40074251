import { join, resolve } from 'node:path';
import { ensureCertificates, ensureTokenKey, type PkiCertificates, writeCertificate } from '@annex/auth';
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
  pki: PkiCertificates;
  proxyClient: LiveKeyPair;
  serviceAccount: ServiceAccountKeys & { signingKey: string };
}

/**
 * Creates missing files in the data directory, and watches all files for changes. `durable`: waits until they are on the disk. Throws
 * OperatorError FILE_UNREADABLE.
 */
export async function openUpIdentities(
  config: UpConfig,
  files: LiveFiles,
  log: Logger,
  { durable }: { durable: boolean },
): Promise<UpIdentities> {
  const dir = join(resolve(config.dataDir), 'pki');
  const onIssued = (name: string, why: string) => log.info('issued a certificate', { name, why });
  const tokenKeys = openTokenKeys(config, () => ensureTokenKey(dir, { durable, onIssued }));
  tokenKeys.catch(() => {});
  const pki = await ensureCertificates(dir, {
    subjectAltNames: [
      ...new Set([config.bindAddress, advertisedAddress(config)]),
      kubernetesServiceIp(config),
      ...(hasOwnCertificate(config) ? [loopbackServerName] : []),
    ],
    durable,
    onIssued,
  });
  const named = {
    ...(await servingFiles(config, pki)),
    clientCaFile: config.clientCaFile ?? pki.ca.certFile,
    requestheaderClientCaFile: config.requestheaderClientCaFile ?? pki.frontProxyCa.certFile,
  };
  const own = pki.frontProxyClient;
  const [identities, proxyClient, serviceAccount] = await Promise.all([
    openIdentities(named, files),
    openKeyPair(files, config.proxyClientCertFile ?? own.certFile, config.proxyClientKeyFile ?? own.keyFile),
    tokenKeys,
  ]);
  return {
    ...identities,
    pki,
    ...(hasOwnCertificate(config) ? { named: new Map([[loopbackServerName, pki.apiserver]]) } : {}),
    proxyClient,
    serviceAccount,
  };
}

/** Returns the keys that options name. Creates the key of the data directory only if it is used: test environments bring their own. */
async function openTokenKeys(
  config: UpConfig,
  ownKey: () => Promise<{ key: string; publicKey: string }>,
): Promise<UpIdentities['serviceAccount']> {
  const { signingKey, verificationKeys } = await readServiceAccountKeys(config);
  if (signingKey !== undefined && verificationKeys.length > 0) return { signingKey, verificationKeys };
  const own = await ownKey();
  return {
    signingKey: signingKey ?? own.key,
    verificationKeys: verificationKeys.length > 0 ? verificationKeys : [own.publicKey],
  };
}

/** True if options name a serving certificate. The server then also presents the one of its CA, to clients that send its name. */
const hasOwnCertificate = ({ certDir, tlsCertFile }: UpConfig): boolean =>
  certDir !== undefined || tlsCertFile !== undefined;

/** Returns the files of the serving certificate. In `--cert-dir`, missing files are created. */
async function servingFiles(
  { certDir, tlsCertFile, tlsPrivateKeyFile }: UpConfig,
  { apiserver }: PkiCertificates,
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
