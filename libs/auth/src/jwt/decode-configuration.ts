import { decodeYaml, FieldPath, isObject, type JsonValue, yamlDuplicatesText } from '@annex/machinery';
import type { AuthenticationConfiguration } from './configuration.ts';

/** A configuration that cannot be used; the message is kube's. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type Shape = 'string' | 'bool' | 'pointer' | readonly [Shape] | { readonly [field: string]: Shape };

const mapping = { claim: 'string', prefix: 'pointer', expression: 'string' } as const;

const jwt = {
  issuer: {
    url: 'string',
    discoveryURL: 'string',
    certificateAuthority: 'string',
    audiences: ['string'],
    audienceMatchPolicy: 'string',
    egressSelectorType: 'string',
  },
  claimValidationRules: [
    { claim: 'string', requiredValue: 'string', expression: 'string', message: 'string' },
  ],
  claimMappings: {
    username: mapping,
    groups: mapping,
    uid: { claim: 'string', expression: 'string' },
    extra: [{ key: 'string', valueExpression: 'string' }],
  },
  userValidationRules: [{ expression: 'string', message: 'string' }],
} as const;

const anonymous = { enabled: 'bool', conditions: [{ path: 'string' }] } as const;

const group = 'apiserver.config.k8s.io';
const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`);
const kind = 'AuthenticationConfiguration';

/** Reads a configuration file: YAML or JSON, strictly. Rejects with {@link ConfigurationError}. */
export async function decodeConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === '') throw new ConfigurationError('empty config data');
  const { value, duplicates } = await decodeYaml(text).catch((error: Error) => {
    throw new ConfigurationError(error.message);
  });
  const object = isObject(value) ? value : {};
  const { apiVersion, kind: sentKind, ...fields } = object;
  if (typeof sentKind !== 'string' || sentKind === '')
    throw new ConfigurationError(`Object 'Kind' is missing in '${text}'`);
  if (sentKind !== kind || !versions.includes(String(apiVersion))) {
    throw new ConfigurationError(`no kind "${sentKind}" is registered for version "${String(apiVersion)}"`);
  }
  const reader = new Reader();
  const { anonymous: sentAnonymous, ...others } = fields;
  const read = reader.read({ jwt: [jwt] }, others, FieldPath.root);
  const whom =
    sentAnonymous == null ? undefined : reader.read(anonymous, sentAnonymous, FieldPath.of('anonymous'));
  const strict = [
    ...(duplicates.length > 0 ? [yamlDuplicatesText(duplicates)] : []),
    ...reader.unknown.sort(),
  ];
  if (strict.length > 0) throw new ConfigurationError(`strict decoding error: ${strict.join(', ')}`);
  return { ...(read as object), anonymous: whom } as AuthenticationConfiguration;
}

/** Fills in what is missing, and finds what does not belong. */
class Reader {
  readonly unknown: string[] = [];

  read(shape: Shape, value: JsonValue | undefined, at: FieldPath): unknown {
    if (shape === 'string') return value == null ? '' : this.#ofType('string', value, at);
    if (shape === 'pointer') return value == null ? undefined : this.#ofType('string', value, at);
    if (shape === 'bool') return value == null ? false : this.#ofType('boolean', value, at);
    if (Array.isArray(shape)) return this.#list((shape as readonly [Shape])[0], value ?? [], at);
    return this.#object(shape as Readonly<Record<string, Shape>>, value ?? {}, at);
  }

  #ofType(type: 'string' | 'boolean', value: JsonValue, at: FieldPath): JsonValue {
    if (typeof value !== type) throw mistyped(value, at, type === 'boolean' ? 'bool' : type);
    return value;
  }

  #list(shape: Shape, value: JsonValue, at: FieldPath): unknown[] {
    if (!Array.isArray(value)) throw mistyped(value, at, 'list');
    return value.map((item, i) => this.read(shape, item, at.index(i)));
  }

  #object(shape: Readonly<Record<string, Shape>>, value: JsonValue, at: FieldPath): object {
    if (!isObject(value)) throw mistyped(value, at, 'object');
    for (const field of Object.keys(value)) {
      if (!Object.hasOwn(shape, field)) this.unknown.push(`unknown field "${at.child(field)}"`);
    }
    return Object.fromEntries(
      Object.entries(shape).map(([field, inner]) => [
        field,
        this.read(inner, Object.hasOwn(value, field) ? value[field] : undefined, at.child(field)),
      ]),
    );
  }
}

function mistyped(value: JsonValue, at: FieldPath, wanted: string): ConfigurationError {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return new ConfigurationError(`json: cannot unmarshal ${found} into field ${at} of type ${wanted}`);
}
