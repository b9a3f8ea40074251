import {
  ConfigurationError,
  configurationOptional as optional,
  configurationString as namedString,
  configurationStruct as struct,
  readConfiguration,
} from '@annex/auth';
import { decodeYaml, isObject } from '@annex/machinery';

/** An EgressSelectorConfiguration. Source: `apiserver.k8s.io/v1beta1`. */
export interface EgressConfiguration {
  egressSelections: readonly EgressSelection[];
}

/** How one network is reached. */
export interface EgressSelection {
  /** `cluster`, `controlplane` or `etcd`, in any case. */
  name: string;
  connection: { proxyProtocol: string; transport?: EgressTransport };
}

/** The connection to a proxy server. */
export interface EgressTransport {
  tcp?: { url: string; tlsConfig?: EgressTls };
  uds?: { udsName: string };
}

/** Paths of PEM files, and the name in the certificate of the proxy server if it is not the host of its URL. */
export interface EgressTls {
  caBundle: string;
  clientCert: string;
  clientKey: string;
  tlsServerName: string;
}

const tls = struct('TLSConfig', {
  caBundle: 'string',
  clientKey: 'string',
  clientCert: 'string',
  tlsServerName: 'string',
});
const transport = struct('Transport', {
  tcp: optional(struct('TCPTransport', { url: 'string', tlsConfig: optional(tls) })),
  uds: optional(struct('UDSTransport', { udsName: 'string' })),
});
const connection = struct('Connection', {
  proxyProtocol: namedString('ProtocolType'),
  transport: optional(transport),
});
const selection = struct('EgressSelection', { name: 'string', connection });

/** The kinds that kube-apiserver reads from other configuration files. */
const otherKinds = new Set([
  ...['v1', 'v1alpha1', 'v1beta1'].flatMap((version) =>
    ['AuthenticationConfiguration', 'AuthorizationConfiguration'].map(
      (kind) => `apiserver.config.k8s.io/${version}, Kind=${kind}`,
    ),
  ),
  ...['v1', 'v1alpha1', 'v1beta1'].map(
    (version) => `apiserver.config.k8s.io/${version}, Kind=TracingConfiguration`,
  ),
  'apiserver.config.k8s.io/v1, Kind=AdmissionConfiguration',
  'apiserver.config.k8s.io/v1, Kind=EncryptionConfiguration',
  'apiserver.k8s.io/v1alpha1, Kind=AdmissionConfiguration',
]);

/** Reads a configuration strictly. Rejects with `ConfigurationError` and kube-apiserver's text. */
export async function readEgressConfiguration(text: string): Promise<EgressConfiguration> {
  await refuseOtherKind(text);
  const read = await readConfiguration(text, {
    kind: 'EgressSelectorConfiguration',
    apiVersions: ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'],
    fields: { egressSelections: [selection] },
  });
  const { egressSelections } = read as unknown as EgressConfiguration;
  return { egressSelections: egressSelections.map(canonical) };
}

async function refuseOtherKind(text: string): Promise<void> {
  const value = await decodeYaml(text).then(
    (document) => document.value,
    () => undefined,
  );
  if (!isObject(value)) return;
  const name = `${String(value.apiVersion)}, Kind=${String(value.kind)}`;
  if (otherKinds.has(name)) throw new ConfigurationError(`unexpected config type: ${name}`);
}

/** `master` is the old name of `controlplane`. */
const canonical = ({ name, ...selection }: EgressSelection): EgressSelection => ({
  ...selection,
  name: name === 'master' ? 'controlplane' : name,
});
