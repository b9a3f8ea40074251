const namespace = 'default';

/** How an extension API server is registered for tests. */
export interface RegistrationOptions {
  /** Default `v1`. */
  version?: string;
  /** The API group; its version is `v1`. */
  group: string;
  /** Its Service in `default`, and the port of the Service. */
  service: string;
  port: number;
  /** The CA that signed its certificate, as PEM. Default: the certificate is not verified. */
  ca?: string | undefined;
}

/** An object to create. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  spec: object;
}

/** Returns the APIService of an extension API server. */
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

/** Returns a Service in `default` of type ExternalName, by default for this machine. */
export const externalServiceManifest = (name: string, externalName = 'localhost'): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { type: 'ExternalName', externalName },
});

/** Which objects a webhook is called for when they are created; by default ConfigMaps. */
export interface WebhookRule {
  apiGroups: string[];
  apiVersions: string[];
  resources: string[];
}

const configMaps: WebhookRule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** Returns the configuration of a webhook that validates what is created. */
export const validatingWebhookManifest = (
  name: string,
  clientConfig: object,
  rule: WebhookRule = configMaps,
) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig,
      rules: [{ ...rule, operations: ['CREATE'] }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    },
  ],
});
