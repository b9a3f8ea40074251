import { type FieldError, fieldErrors, FieldPath } from '@annex/machinery';
import type { EncryptionConfiguration, Keys, NamedKey, Provider } from './configuration.ts';
import { type GroupResource, parseGroupResource } from './group-resource.ts';

const { forbidden, invalid, required } = fieldErrors;
const root = FieldPath.of('resources');
const atLeastOne = (place: FieldPath | string) => `at least one ${String(place)} is required`;

/** Validates a configuration. The errors are kube-apiserver's, except for KMS plugins, which are refused. */
export function validateEncryptionConfiguration({ resources }: EncryptionConfiguration): FieldError[] {
  if (resources.length === 0) return [required(root, atLeastOne(root))];
  return resources.flatMap((one, i) => {
    const [names, providers] = [root.index(i).child('resources'), root.index(i).child('providers')];
    return [
      ...(one.resources.length === 0 ? [required(names, atLeastOne(names))] : []),
      ...overlapErrors(one.resources, names),
      ...one.resources.flatMap((name, j) => {
        const error = nameError(name);
        return error === undefined ? [] : [invalid(names.index(j), name, error)];
      }),
      ...(one.providers.length === 0 ? [required(providers, atLeastOne(providers))] : []),
      ...one.providers.flatMap((provider, j) => providerErrors(provider, providers.index(j))),
    ];
  });
}

function overlapErrors(names: readonly string[], place: FieldPath): FieldError[] {
  const parsed = names.map(parseGroupResource);
  const texts = parsed.map(({ group, resource }) => `${resource}.${group}`);
  const isRepeated = new Set(texts).size < texts.length;
  return [
    ...(isRepeated ? [invalid(place, names, 'the same resource cannot be specified multiple times')] : []),
    ...(overlap(parsed)
      ? [
          invalid(
            place,
            names,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ];
}

/** True if a wildcard includes another item. */
function overlap(list: readonly GroupResource[]): boolean {
  if (list.length < 2) return false;
  const groups = Map.groupBy(list, ({ group }) => group);
  return [...groups].some(
    ([group, items]) => items.some(({ resource }) => resource === '*') && (group === '*' || items.length > 1),
  );
}

const withoutApi = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations']);

function nameError(name: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === '*')
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (withoutApi.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

const aesKeyBytes = [16, 24, 32];
const secretboxKeyBytes = [32];

function providerErrors(provider: Provider, place: FieldPath): FieldError[] {
  const { aescbc, aesgcm, identity, kms, secretbox } = provider;
  const sent = [kms, aesgcm, aescbc, secretbox, identity].filter((one) => one !== undefined).length;
  const single =
    sent === 0
      ? 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
      : 'more than one provider specified in a single element, should split into different list elements';
  return [
    ...(sent === 1 ? [] : [invalid(place, printed(provider), single)]),
    ...(kms !== undefined
      ? [forbidden(place.child('kms'), 'KMS plugins are not supported')]
      : aesgcm !== undefined
        ? keysErrors(aesgcm, place.child('aesgcm', 'keys'), aesKeyBytes)
        : aescbc !== undefined
          ? keysErrors(aescbc, place.child('aescbc', 'keys'), aesKeyBytes)
          : secretbox !== undefined
            ? keysErrors(secretbox, place.child('secretbox', 'keys'), secretboxKeyBytes)
            : []),
  ];
}

const redacted = 'REDACTED';

/** The names of Go's fields. kube-apiserver prints the secrets. */
const printed = ({ aescbc, aesgcm, identity, kms, secretbox }: Provider) => {
  const keysOf = (list: Keys | undefined) =>
    list === undefined ? null : { Keys: list.keys.map(({ name }) => ({ Name: name, Secret: redacted })) };
  return {
    AESGCM: keysOf(aesgcm),
    AESCBC: keysOf(aescbc),
    Secretbox: keysOf(secretbox),
    Identity: identity ?? null,
    KMS: kms === undefined ? null : { Name: kms.name, Endpoint: kms.endpoint },
  };
};

const keysErrors = ({ keys }: Keys, place: FieldPath, lengths: readonly number[]): FieldError[] =>
  keys.length === 0
    ? [required(place, atLeastOne('keys'))]
    : keys.flatMap((key, i) => keyErrors(key, place.index(i), lengths));

function keyErrors({ name, secret }: NamedKey, place: FieldPath, lengths: readonly number[]): FieldError[] {
  const mandatory = (field: string) =>
    required(place.child(field), `${field} is a mandatory field for a key`);
  return [
    ...(name === '' ? [mandatory('name')] : []),
    ...(secret === '' ? [mandatory('secret')] : secretErrors(secret, place.child('secret'), lengths)),
  ];
}

function secretErrors(secret: string, place: FieldPath, lengths: readonly number[]): FieldError[] {
  const text = secret.replaceAll(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return [invalid(place, redacted, 'secrets must be base64 encoded')];
  const { length } = Buffer.from(text, 'base64');
  if (lengths.includes(length)) return [];
  const detail = `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`;
  return [invalid(place, redacted, detail)];
}
