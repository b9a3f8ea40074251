import { admissionConfigurations } from '@annex/admission';
import { type CertificateAndKey, issueServingCertificate, type PkiCertificates } from '@annex/auth';
import { createExtensionServer, type ExtensionServer, type ExtensionServerOptions } from '@annex/sdk';
import type { KubeObject } from '@annex/machinery';
import type { User } from './user.ts';

/** An extension API server, and its names in the registration. */
export interface ExtensionOptions extends Omit<
  ExtensionServerOptions,
  'apiServer' | 'certificate' | 'bindAddress' | 'port'
> {
  /** The namespace of its ServiceAccount and of its Service. Default: `extensions`. */
  namespace?: string;
  /** The name of both. Default: the group with dashes in it. */
  name?: string;
}

/** The parts of a test's Annex that register an extension API server. */
interface ExtendedAnnex {
  readonly admin: User;
  readonly ca: string;
  serviceAccount(namespace: string, name: string): Promise<User>;
}

/** A running, registered extension API server. */
export interface RunningExtension {
  /** The URL of the server, for requests that bypass Annex. */
  readonly url: string;
  /** The name in its certificate, which the CA of Annex has signed. */
  readonly serverName: string;
  /** The ServiceAccount of its requests to Annex. */
  readonly account: User;
  stop(): Promise<void>;
}

/** Starts and registers an extension API server with an in-memory store. */
export async function serveExtension(
  annex: ExtendedAnnex,
  pki: PkiCertificates,
  { namespace = 'extensions', name, ...options }: ExtensionOptions,
): Promise<RunningExtension> {
  const service = { namespace, name: name ?? options.group.replaceAll('.', '-') };
  await annex.admin.apply(rights(service));
  const account = await annex.serviceAccount(namespace, service.name);
  const serverName = `${service.name}.${namespace}.svc`;
  const server = await createExtensionServer({
    // Changes of permissions in a test apply immediately.
    allowedTtl: 0,
    refusedTtl: 0,
    tokenTtl: 0,
    ...options,
    apiServer: account.config,
    certificate: await certificate(pki, serverName),
    port: 0,
  });
  await register(annex, server, service, options);
  const stop = async () => void (await server.stop());
  return { url: server.url, serverName, account, stop };
}

function certificate({ ca, apiserver }: PkiCertificates, serverName: string): Promise<CertificateAndKey> {
  if (ca.key === undefined) throw new Error('the CA of the instance has no key');
  const names = { commonName: serverName, subjectAltNames: [serverName, 'localhost', '127.0.0.1'] };
  return issueServingCertificate({ cert: ca.cert, key: ca.key }, names, { key: apiserver.key });
}

interface ServiceName {
  namespace: string;
  name: string;
}

async function register(
  annex: ExtendedAnnex,
  server: ExtensionServer,
  service: ServiceName,
  { group, resources }: ExtensionOptions,
): Promise<void> {
  const port = Number(new URL(server.url).port);
  const versions = [...new Set(resources.map(({ version }) => version))];
  const caBundle = Buffer.from(annex.ca).toString('base64');
  const registrations = versions.map((version, i) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 100 - i,
      service: { ...service, port },
      caBundle,
    },
  }));
  await annex.admin.apply(registrations);
  const address = { apiVersion: 'apiregistration.k8s.io/v1', resource: 'apiservices' };
  const known = annex.admin.resource(address);
  for (const { metadata } of registrations) await known.waitForCondition(metadata.name, 'Available');
}

/** The permissions to watch the configuration of admission. */
const admissionRules = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [...admissionConfigurations],
    verbs: ['get', 'list', 'watch'],
  },
];

/** Returns the permissions in the Kubernetes documentation, and the Service, which points to this machine. */
function rights({ namespace, name }: ServiceName): KubeObject[] {
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  const apiGroup = 'rbac.authorization.k8s.io';
  const rbac = (kind: string, metadata: KubeObject['metadata'], content: object): KubeObject => ({
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata,
    ...content,
  });
  const bind = (role: string): object => ({
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects,
  });
  const reader = 'extension-apiserver-authentication-reader';
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } },
    rbac('ClusterRoleBinding', { name: `${name}:system:auth-delegator` }, bind('system:auth-delegator')),
    rbac(
      'RoleBinding',
      { namespace: 'kube-system', name: `${name}-authentication-reader` },
      { roleRef: { apiGroup, kind: 'Role', name: reader }, subjects },
    ),
    rbac('ClusterRole', { name: `${name}-admission` }, { rules: admissionRules }),
    rbac('ClusterRoleBinding', { name: `${name}-admission` }, bind(`${name}-admission`)),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
  ];
}
