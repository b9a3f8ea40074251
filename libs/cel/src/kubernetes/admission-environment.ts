import type { Environment } from '../environment.ts';
import { fail } from '../errors.ts';
import type { TypeProvider, VariableDeclaration } from '../typing/declarations.ts';
import { type CelType, listType, mapType, structType, types } from '../typing/type.ts';
import { MapValue, type Value } from '../values/value.ts';
import { authorizerType, resourceCheckType } from './authorizer.ts';
import { jsonPatchLibrary, mutationTypes } from './mutation-types.ts';
import { kubernetesEnvironment } from './environment.ts';

const { bool, dyn, int, string, timestamp } = types;
const texts = listType(string);
const textsByText = mapType(string, texts);

/** The fields of struct types, by type name. */
type Structs = Readonly<Record<string, Readonly<Record<string, CelType>>>>;

const named = (name: string): CelType => structType(`kubernetes.${name}`);
const groupVersionKind = { group: string, version: string, kind: string };
const groupVersionResource = { group: string, version: string, resource: string };

// Objects are separate variables. Metadata that policies do not use is omitted.
const structs: Structs = {
  'kubernetes.GroupVersionKind': groupVersionKind,
  'kubernetes.GroupVersionResource': groupVersionResource,
  'kubernetes.UserInfo': { username: string, uid: string, groups: texts, extra: textsByText },
  'kubernetes.AdmissionRequest': {
    kind: named('GroupVersionKind'),
    resource: named('GroupVersionResource'),
    subResource: string,
    requestKind: named('GroupVersionKind'),
    requestResource: named('GroupVersionResource'),
    requestSubResource: string,
    name: string,
    namespace: string,
    operation: string,
    userInfo: named('UserInfo'),
    dryRun: bool,
    options: dyn,
  },
  'kubernetes.NamespaceSpec': { finalizers: texts },
  'kubernetes.NamespaceCondition': {
    status: string,
    type: string,
    lastTransitionTime: timestamp,
    message: string,
    reason: string,
  },
  'kubernetes.NamespaceStatus': { conditions: listType(named('NamespaceCondition')), phase: string },
  'kubernetes.NamespaceMetadata': {
    name: string,
    generateName: string,
    namespace: string,
    labels: mapType(string, string),
    annotations: mapType(string, string),
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: texts,
  },
  'kubernetes.Namespace': {
    metadata: named('NamespaceMetadata'),
    spec: named('NamespaceSpec'),
    status: named('NamespaceStatus'),
  },
};

const structProvider = (known: Structs): TypeProvider => ({
  findType: (name) => (Object.hasOwn(known, name) ? structType(name) : undefined),
  findField(name, field) {
    const fields = Object.hasOwn(known, name) ? known[name] : undefined;
    return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
  },
});

/** The optional variables of an expression in an admission policy. */
export interface AdmissionVariables {
  params: boolean;
  authorizer: boolean;
  /** Expressions can construct the types of mutations. */
  mutations?: boolean;
  /** The types of the policy's variables that precede the expression. */
  variables?: ReadonlyMap<string, CelType>;
}

const always: readonly VariableDeclaration[] = [
  { name: 'object', type: dyn },
  { name: 'oldObject', type: dyn },
  { name: 'namespaceObject', type: named('Namespace') },
  { name: 'request', type: named('AdmissionRequest') },
];

/**
 * Returns the environment of expressions in admission policies and of match conditions of webhooks. Source: "Validating
 * Admission Policy" in the Kubernetes documentation.
 */
export function admissionEnvironment(options: AdmissionVariables): Environment {
  const { params, authorizer, mutations, variables } = options;
  const declared = [...always];
  if (params) declared.push({ name: 'params', type: dyn });
  if (authorizer) {
    declared.push(
      { name: 'authorizer', type: authorizerType },
      { name: 'authorizer.requestResource', type: resourceCheckType },
    );
  }
  const typeProviders = [structProvider(structs)];
  if (variables !== undefined) {
    declared.push({ name: 'variables', type: named('variables') });
    typeProviders.push(structProvider({ 'kubernetes.variables': Object.fromEntries(variables) }));
  }
  if (mutations) typeProviders.push(mutationTypes);
  const libraries = mutations ? [jsonPatchLibrary] : [];
  return kubernetesEnvironment.extend({ libraries, variables: declared, typeProviders });
}

/** The variables of a policy; each is evaluated once, on first access. */
export class LazyVariables extends MapValue {
  readonly #evaluate: ReadonlyMap<string, () => Value>;
  readonly #known = new Map<string, Value>();

  constructor(evaluate: ReadonlyMap<string, () => Value>) {
    super();
    this.#evaluate = evaluate;
  }

  override get type(): CelType {
    return named('variables');
  }

  get size(): number {
    return this.#evaluate.size;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#evaluate.get(key)?.();
    if (value !== undefined) this.#known.set(key, value);
    return value;
  }

  keys(): Iterable<Value> {
    return this.#evaluate.keys();
  }

  equals(): boolean {
    return fail('no such overload');
  }
}
