import {
  type FieldError,
  FieldPath,
  fieldErrorText,
  type JsonObject,
  type KubeObject,
  validateDns1035Label,
} from '@annex/machinery';
import { checkStructural, ruleMistakes } from '@annex/schema';
import type { ExtensionRequest } from './extension-request.ts';
import type { InputOf, ObjectOf, Schema } from './schema-type.ts';
import type { ScaleDefinition, SubresourceDefinition } from './subresources.ts';

/** A column that `kubectl get` prints. */
export interface Column<T = KubeObject> {
  /** The head of the column. */
  name: string;
  /** Default `string`. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  description?: string;
  /** Above 0 it is printed by `-o wide` only. */
  priority?: number;
  /** The cell; a time of type `date` is printed as an age. */
  value(object: T): unknown;
}

/** How a version of a resource is kept in the form of another version of it. */
export interface StoredAs<T = KubeObject> {
  /** The version whose form is stored; it is a resource of the same server, with the same plural. */
  version: string;
  /** An object of this version in the stored form; type and metadata are kept by themselves. */
  to(object: T): KubeObject;
  /** The way back. */
  from(object: KubeObject): T;
}

/**
 * One version of a resource, before it is checked. Its functions are called in the order `admit`, `prepare`, `validate`, for
 * creates and updates alike, with objects that have their defaults and fit the schema; `admit` and `prepare` refuse by throwing.
 */
export interface ResourceDefinition<T = KubeObject> {
  /** `v1`, `v1alpha1`. */
  version: string;
  /** `Greeting`. */
  kind: string;
  /** The name in URLs; the kind in lower case with an `s` by default. */
  plural?: string;
  /** What kubectl takes for one object. Default: the kind in lower case. */
  singular?: string;
  /** What kubectl takes besides: `po` for `pods`. */
  shortNames?: readonly string[];
  /** The groups of resources it belongs to, such as `all` for `kubectl get all`. */
  categories?: readonly string[];
  /** Default `Namespaced`. */
  scope?: 'Namespaced' | 'Cluster';
  /** Fields that it does not name are pruned, its defaults are set, and what it and its `x-kubernetes-validations` forbid is refused. */
  schema: Schema;
  /**
   * Whether objects are treated as the Go types of an extension API server in Go, rather than as custom resources. A value of the wrong
   * type is 400 then, `apiVersion` and `kind` may be left to the URL, names may be any segment of a path, strategic merge patches merge
   * lists by their `x-kubernetes-list-map-keys`, and empty texts, lists and maps of optional fields are left out, unless they are
   * `nullable`: those are pointers. A struct that is no pointer has the default `{}`. Default true.
   */
  typed?: boolean;
  /** Sets what depends on other fields, in an object as it was sent, once the defaults of the schema are there. Only of typed kinds. */
  setDefaults?(object: T): void;
  /** Whether `status` is written through a subresource of its own. Default: where the schema has a `status`. */
  status?: boolean;
  /** Makes the subresource `scale`. */
  scale?: ScaleDefinition<T>;
  /** Further endpoints of each object, by their names. */
  subresources?: Readonly<Record<string, SubresourceDefinition<T>>>;
  /** What `kubectl get` prints between the name and the age. A typed kind without a word about either shows the time of its creation. */
  columns?: readonly Column<T>[];
  /** Whether the age is the last column. Default true. */
  age?: boolean;
  /** Whether `metadata.generation` counts changes. Default true. */
  generation?: boolean;
  /** Field selectors beyond `metadata.name` and `metadata.namespace`. */
  selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Refuses a new object (without `old`) or a changed one by throwing, before it is validated beyond the schema. */
  admit?(object: T, old: T | undefined, request: ExtensionRequest): void | Promise<void>;
  /** Fills what this server decides in a new object or a changed one; the schema is asked again afterwards. */
  prepare?(object: T, old: T | undefined, request: ExtensionRequest): void | Promise<void>;
  /** Complaints beyond the schema, all at once; `fieldErrors` makes them. */
  validate?(object: T, old: T | undefined, request: ExtensionRequest): FieldError[] | Promise<FieldError[]>;
  /** Says how this version is kept in the form of another one. Default: as it is. */
  storedAs?: StoredAs<T>;
  /** Sent as a warning with every answer: why and until when this version is there. */
  deprecationWarning?: string;
}

declare const checked: unique symbol;

/**
 * A definition that {@link defineResource} has checked.
 * @typeParam T what is answered
 * @typeParam I what may be sent
 */
export type Resource<T extends KubeObject = KubeObject, I = unknown> = Omit<
  ResourceDefinition<never>,
  'plural'
> & {
  plural: string;
  /** There for TypeScript only. */
  readonly [checked]: { object: T; input: I };
};

/**
 * Defines one version of a resource. The functions get objects of the type that the schema describes. Throws an Error
 * that lists every mistake: a schema that is not structural, or rules that could not be kept.
 */
export function defineResource<const S extends Schema>(
  definition: ResourceDefinition<ObjectOf<S>> & { schema: S },
): Resource<ObjectOf<S>, InputOf<S>> {
  const { kind, plural = `${kind.toLowerCase()}s`, typed = true, version } = definition;
  const mistakes = [
    ...validateDns1035Label(version).map((why) => `version: ${why}`),
    ...nameMistakes(definition, plural),
    ...schemaMistakes(definition.schema as JsonObject),
    ...statusMistakes(definition),
    ...(definition.setDefaults && definition.typed === false ? ['setDefaults: the kind is not typed'] : []),
    ...Object.keys(definition.subresources ?? {}).flatMap(subresourceMistakes),
  ];
  if (mistakes.length > 0) throw new Error(`${kind} ${version}:\n${mistakes.join('\n')}`);
  return { ...definition, plural, typed } as unknown as Resource<ObjectOf<S>, InputOf<S>>;
}

/** The rules that a CustomResourceDefinition has for its names. */
function nameMistakes({ kind, singular, shortNames = [], categories = [] }: Names, plural: string): string[] {
  const labels: [string, string][] = [
    ['kind', kind.toLowerCase()],
    ['plural', plural],
    ...(singular === undefined ? [] : [['singular', singular] as [string, string]]),
    ...shortNames.map((name): [string, string] => ['shortNames', name]),
    ...categories.map((name): [string, string] => ['categories', name]),
  ];
  return labels.flatMap(([field, name]) =>
    validateDns1035Label(name).map((why) => `${field} ${JSON.stringify(name)}: ${why}`),
  );
}

type Names = Pick<ResourceDefinition, 'kind' | 'singular' | 'shortNames' | 'categories'>;

/** A status that the schema does not name would be pruned. */
const statusMistakes = ({
  status = false,
  schema,
}: Pick<ResourceDefinition, 'status' | 'schema'>): string[] =>
  status && schema.properties?.status === undefined ? ['status: the schema has no property status'] : [];

/** Names with a meaning of their own are defined by what they mean. */
function subresourceMistakes(name: string): string[] {
  if (name === 'status' || name === 'scale') return [`subresources: ${name} is an option of its own`];
  return validateDns1035Label(name).map((why) => `subresources.${name}: ${why}`);
}

function schemaMistakes(schema: JsonObject): string[] {
  const mistakes = checkStructural(schema, FieldPath.of('schema')).map(fieldErrorText);
  // Rules can be read in a schema that is otherwise good.
  return mistakes.length > 0 ? mistakes : ruleMistakes(schema, 'schema');
}
