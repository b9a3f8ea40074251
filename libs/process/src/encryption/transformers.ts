import { ConfigurationError } from '@annex/auth';
import type { EncryptionModule, PrefixedTransformer, Transformer } from '@annex/storage';
import type { EncryptionConfiguration, Keys, Provider } from './configuration.ts';
import { type GroupResource, parseGroupResource } from './group-resource.ts';

/** Returns the transformer of a resource. */
export type Transformers = (resource: GroupResource) => Transformer;

/** Creates the transformers of a valid configuration. Throws `ConfigurationError` if an earlier wildcard masks a resource. */
export function createTransformers(
  { resources }: EncryptionConfiguration,
  encryption: EncryptionModule,
): Transformers {
  const { identity, prefixTransformer } = encryption;
  const lists = new Map<string, PrefixedTransformer[]>();
  for (const { providers, resources: names } of resources) {
    const own = providers.map((provider) => transformerOf(provider, encryption));
    for (const name of names) {
      const resource = parseGroupResource(name);
      refuseMasked(resource, lists);
      const key = textOf(resource);
      lists.set(key, [...(lists.get(key) ?? []), ...own]);
    }
  }
  const transformers = new Map(
    [...lists].map(([key, list]) => [key, prefixTransformer(list, 'no matching prefix found')]),
  );
  return (resource) =>
    transformers.get(textOf(resource)) ??
    transformers.get(`*.${resource.group}`) ??
    transformers.get('*.*') ??
    identity;
}

const textOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

function refuseMasked(resource: GroupResource, lists: ReadonlyMap<string, unknown>): void {
  const mask = [`*.${resource.group}`, '*.*'].find((wildcard) => lists.has(wildcard));
  if (mask === undefined) return;
  const name = resource.group === '' && resource.resource !== '*' ? resource.resource : textOf(resource);
  throw new ConfigurationError(`resource "${name}" is masked by earlier rule "${mask}"`);
}

function transformerOf(
  { aescbc, aesgcm, secretbox }: Provider,
  { aesCbc, aesGcm, identity, prefixTransformer, secretBox }: EncryptionModule,
): PrefixedTransformer {
  /** Values begin with the provider and the name of the key. */
  const keyed = (
    provider: string,
    { keys }: Keys,
    name: string,
    create: (key: Uint8Array) => Transformer,
  ) => ({
    prefix: `k8s:enc:${provider}:v1:`,
    transformer: prefixTransformer(
      keys.map(({ name: key, secret }) => ({
        prefix: `${key}:`,
        transformer: create(Buffer.from(secret, 'base64')),
      })),
      `no matching key was found for the provided ${name} transformer`,
    ),
  });
  if (aesgcm !== undefined) return keyed('aesgcm', aesgcm, 'AES', aesGcm);
  if (aescbc !== undefined) return keyed('aescbc', aescbc, 'AES', aesCbc);
  if (secretbox !== undefined) return keyed('secretbox', secretbox, 'Secretbox', secretBox);
  return { prefix: '', transformer: identity };
}
