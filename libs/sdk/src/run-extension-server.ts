import { type ClientConfig, inClusterConfig, loadKubeconfig } from '@annex/client';
import { OperatorError, readOptionalFile, runProcess, startupLog, type Validated } from '@annex/runtime';
import {
  createExtensionServer,
  type ExtensionServer,
  type ExtensionServerOptions,
} from './extension-server.ts';
import type { StorageSource } from './open-store.ts';
import { type ExtensionConfig, extensionConflicts, extensionOptions } from './options.ts';
import type { CertificateSource } from './serving-certificate.ts';
import { configuredTrust } from './trust-options.ts';

/** The definition of an extension API server, without its configuration. */
export interface Extension extends Pick<ExtensionServerOptions, 'group' | 'resources' | 'admission'> {
  /** The name of the process. */
  name: string;
}

/**
 * Runs an extension API server as a process until SIGTERM or SIGINT. Takes the options of extension API
 * servers in Go (`--help` lists them). Resolves to the exit code.
 */
export const runExtensionServer = (
  extension: Extension,
  argv: readonly string[] = process.argv.slice(2),
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> =>
  runProcess(
    {
      name: extension.name,
      options: extensionOptions,
      conflicts: extensionConflicts(extension.admission),
      async start(config) {
        const { url, stop } = await start(extension, config);
        return { about: url, stop };
      },
    },
    argv,
    env,
  );

async function start(extension: Extension, config: Validated<ExtensionConfig>): Promise<ExtensionServer> {
  const { name, ...served } = extension;
  const log = startupLog(name, extensionOptions, config);
  return await createExtensionServer({
    ...served,
    apiServer: await apiServerOf(config),
    storage: await storageOf(config),
    certificate: certificateOf(config),
    trust: configuredTrust(config),
    bindAddress: config.bindAddress,
    port: config.securePort,
    allowedTtl: config.authorizedTtl,
    refusedTtl: config.unauthorizedTtl,
    tokenTtl: config.tokenTtl,
    requestTimeout: config.requestTimeout,
    shutdownDelay: config.shutdownDelay,
    maxRequestsInflight: config.maxRequestsInflight,
    maxConnections: config.maxConnections,
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    http2MaxStreamsPerConnection: config.http2MaxStreamsPerConnection,
    tls: config,
    audit: config,
    disableAdmissionPlugins: config.disableAdmissionPlugins,
    ...(config.admissionControlConfigFile === undefined
      ? {}
      : { admissionControlConfigFile: config.admissionControlConfigFile }),
    log,
  });
}

async function apiServerOf({ kubeconfig }: ExtensionConfig): Promise<ClientConfig> {
  if (kubeconfig !== undefined) return await loadKubeconfig(kubeconfig);
  const config = inClusterConfig();
  if (config === undefined) {
    throw new OperatorError('OPTION_REQUIRED', '--kubeconfig is required outside of a cluster');
  }
  return config;
}

const certificateOf = ({
  tlsCertFile,
  tlsPrivateKeyFile,
  certDir,
  serviceNames,
}: ExtensionConfig): CertificateSource =>
  tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined
    ? { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile }
    : { dir: certDir, names: serviceNames };

async function storageOf(config: ExtensionConfig): Promise<StorageSource> {
  if (config.dataDir !== undefined) return { dir: config.dataDir };
  if (config.etcdServers.length === 0) return 'memory';
  const [ca, cert, key] = await Promise.all(
    [config.etcdCafile, config.etcdCertfile, config.etcdKeyfile].map(readOptionalFile),
  );
  return {
    etcd: {
      servers: config.etcdServers,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}
