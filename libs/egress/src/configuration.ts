import {
  ConfigurationError,
  configurationOptional as optional,
  configurationString as namedString,
  configurationStruct as struct,
  readConfiguration,
  strictConfigurationErrorText,
} from '@annex/auth';
import { decodeYaml, goJsonSyntaxError, isObject, type JsonObject } from '@annex/machinery';

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

/** The internal versions, which scheme and decoder know, but whose fields have no names in files. */
const internalVersion = '__internal';
const internalKinds = new Map([
  ['apiserver.k8s.io', ['AdmissionConfiguration', 'EgressSelectorConfiguration']],
  [
    'apiserver.config.k8s.io',
    [
      ...['AdmissionConfiguration', 'AuthenticationConfiguration', 'AuthorizationConfiguration'],
      ...['EgressSelectorConfiguration', 'EncryptionConfiguration', 'TracingConfiguration'],
    ],
  ],
]);

/** Reads a configuration strictly. Rejects with `ConfigurationError` and kube-apiserver's text. */
export async function readEgressConfiguration(text: string): Promise<EgressConfiguration> {
  const document = await decodeYaml(text).then(
    ({ value }) => (isObject(value) ? value : {}),
    (error: Error) => refuseSyntax(text, error),
  );
  refuseOtherKind(document);
  if (readsInternal(document)) return { egressSelections: [] };
  const read = await readConfiguration(text, {
    kind: 'EgressSelectorConfiguration',
    apiVersions: ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'],
    fields: { egressSelections: [selection] },
  });
  const { egressSelections } = read as unknown as EgressConfiguration;
  return { egressSelections: egressSelections.map(canonical) };
}

/** What begins as JSON is read as JSON. */
function refuseSyntax(text: string, error: Error): never {
  const problem = text.trimStart().startsWith('{') ? goJsonSyntaxError(text) : undefined;
  throw new ConfigurationError(
    problem === undefined ? error.message : `couldn't get version/kind; json parse error: ${problem}`,
  );
}

function refuseOtherKind({ apiVersion, kind }: JsonObject): void {
  const name = `${String(apiVersion)}, Kind=${String(kind)}`;
  if (otherKinds.has(name)) throw new ConfigurationError(`unexpected config type: ${name}`);
}

/** Whether a document is of the internal version, without any field. Throws the error of one with fields, or of an unknown kind. */
function readsInternal({ apiVersion, kind, ...fields }: JsonObject): boolean {
  const [group = '', version] = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  if (version !== internalVersion || typeof kind !== 'string' || kind === '') return false;
  const known = internalKinds.get(group);
  if (known === undefined) return false;
  if (!known.includes(kind))
    throw new ConfigurationError(
      `no kind "${kind}" is registered for the internal version of group "${group}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  const unknown = Object.keys(fields).sort();
  if (unknown.length > 0)
    throw new ConfigurationError(
      strictConfigurationErrorText(unknown.map((name) => `unknown field "${name}"`)),
    );
  if (kind !== 'EgressSelectorConfiguration')
    throw new ConfigurationError(`unexpected config type: ${String(apiVersion)}, Kind=${kind}`);
  return true;
}

/** `master` is the old name of `controlplane`. */
const canonical = ({ name, ...selection }: EgressSelection): EgressSelection => ({
  ...selection,
  name: name === 'master' ? 'controlplane' : name,
});
