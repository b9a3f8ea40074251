const namespace = 'default';

/** How an extension API server is registered for tests. */
export interface RegistrationOptions {
  /** Default `v1`. */
  version?: string;
  /** Its version is `v1`. */
  group: string;
  /** The Service in `default` that leads to it, and the port there. */
  service: string;
  port: number;
  /** The CA that signed its certificate, as PEM. Default: the certificate is not verified. */
  ca?: string | undefined;
}

/** An object that somebody has yet to create. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: object;
}

/** The APIService of an extension API server. */
export const apiServiceManifest = ({
  group,
  version = 'v1',
  service,
  port,
  ca,
}: RegistrationOptions): Manifest => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace, name: service, port },
    ...(ca === undefined
      ? { insecureSkipTLSVerify: true }
      : { caBundle: Buffer.from(ca).toString('base64') }),
  },
});

/** A Service in `default` that leads to a name outside, to this machine where nothing else is said. */
export const externalServiceManifest = (name: string, externalName = 'localhost'): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { type: 'ExternalName', externalName },
});
