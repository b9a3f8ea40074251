import {
  ConfigurationError,
  configurationOptional as optional,
  configurationStruct as struct,
  readConfiguration,
} from '@annex/auth';
import { decodeYaml, isObject, type JsonValue } from '@annex/machinery';

/** An EncryptionConfiguration. Source: `apiserver.config.k8s.io/v1`. */
export interface EncryptionConfiguration {
  resources: readonly ResourceEncryption[];
}

/** How the objects of some resources are encrypted. */
export interface ResourceEncryption {
  /** `secrets`, `pandas.example.com`, `*.example.com`, `*.` for the core group, `*.*`. */
  resources: readonly string[];
  /** The first one encrypts, all decrypt. */
  providers: readonly Provider[];
}

/** One of these members is set. */
export interface Provider {
  aesgcm?: Keys;
  aescbc?: Keys;
  secretbox?: Keys;
  identity?: object;
  kms?: KmsProvider;
}

export interface Keys {
  keys: readonly NamedKey[];
}

export interface NamedKey {
  name: string;
  /** Base64. */
  secret: string;
}

interface KmsProvider {
  name: string;
  endpoint: string;
}

const keysOf = (goType: string) =>
  optional(struct(goType, { keys: [struct('Key', { name: 'string', secret: 'string' })] }));
const kms = struct('KMSConfiguration', {
  apiVersion: 'string',
  name: 'string',
  cachesize: 'any',
  endpoint: 'string',
  timeout: 'any',
});
const provider = struct('ProviderConfiguration', {
  aesgcm: keysOf('AESConfiguration'),
  aescbc: keysOf('AESConfiguration'),
  secretbox: keysOf('SecretboxConfiguration'),
  identity: optional(struct('IdentityConfiguration', {})),
  kms: optional(kms),
});
const resource = struct('ResourceConfiguration', { resources: ['string'], providers: [provider] });

/** The other kinds that kube-apiserver knows in such a file. */
const otherKinds = new Set(
  ['Admission', 'Authentication', 'Authorization', 'Tracing'].map((name) => `${name}Configuration`),
);
const apiVersion = 'apiserver.config.k8s.io/v1';

/** Reads a configuration strictly. Rejects with `ConfigurationError` and kube-apiserver's text. */
export async function readEncryptionConfiguration(text: string): Promise<EncryptionConfiguration> {
  const sent = await typeOf(text);
  if (sent.apiVersion === apiVersion && otherKinds.has(String(sent.kind)))
    throw new ConfigurationError(`got unexpected config type: ${apiVersion}, Kind=${String(sent.kind)}`);
  // The documentation once had this kind.
  const isLegacy = sent.apiVersion === 'v1' && sent.kind === 'EncryptionConfig';
  const read = await readConfiguration(text, {
    kind: isLegacy ? 'EncryptionConfig' : 'EncryptionConfiguration',
    apiVersions: [isLegacy ? 'v1' : apiVersion],
    fields: { resources: [resource] },
  });
  return read as unknown as EncryptionConfiguration;
}

async function typeOf(text: string): Promise<{ apiVersion?: JsonValue; kind?: JsonValue }> {
  try {
    const { value } = await decodeYaml(text);
    return isObject(value) ? value : {};
  } catch {
    // The reader reports the error.
    return {};
  }
}
