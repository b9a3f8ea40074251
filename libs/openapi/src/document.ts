import { setOwn, type JsonObject } from '@annex/machinery';
import type { ResourceDiscovery } from '@annex/kinds';
import { createPacer } from '@annex/runtime';
import {
  type Operation,
  type OperationKind,
  type OperationStyle,
  writeDocumentOperation,
  writeOperation,
  writeParameter,
} from './operations.ts';

/** The input of the OpenAPI v3 document of one version. */
export interface OpenApiVersion {
  group: string;
  version: string;
  resources: readonly ResourceDiscovery[];
  /** `components.schemas`. */
  schemas: JsonObject;
  /** Kinds of lists with an irregular name, by resource. */
  listKinds?: ReadonlyMap<string, string>;
  /** Custom resources support neither protobuf nor strategic merge patches. */
  custom: boolean;
}

/** The version of kube-apiserver in the documents. */
export const openApiRelease = '1.36';

/** The authentication of clients, in every document of a server. */
export const securitySchemes = {
  BearerToken: {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  },
};

/**
 * Builds the OpenAPI v3 document of a version: its schemas, and the paths of its resources with their
 * operations.
 */
export function openApiDocument(of: OpenApiVersion): JsonObject {
  const writer = new PathWriter(of);
  if (!of.custom) writer.addResourceList();
  for (const resource of of.resources) writer.addResource(resource);
  return documentOf(of, writer.paths);
}

/** The same, but yields to the event loop: a version of custom resources may have hundreds of kinds. */
export async function openApiDocumentInTurns(of: OpenApiVersion): Promise<JsonObject> {
  const writer = new PathWriter(of);
  const pace = createPacer();
  for (const resource of of.resources) {
    writer.addResource(resource);
    const pause = pace();
    if (pause) await pause;
  }
  return documentOf(of, writer.paths);
}

function documentOf(of: OpenApiVersion, paths: JsonObject): JsonObject {
  return {
    openapi: '3.0.0',
    info: of.custom
      ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
      : { title: 'Kubernetes', version: openApiRelease },
    paths,
    components: {
      schemas: of.schemas,
      ...(of.custom ? {} : { securitySchemes }),
    },
  };
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const json = 'application/json';
const yaml = 'application/yaml';
const mergeTypes = ['application/json-patch+json', 'application/merge-patch+json'];
const applyType = 'application/apply-patch+yaml';

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
/** Returns a word with a lower-case first letter, for tags. */
export const uncapital = (word: string) => word.charAt(0).toLowerCase() + word.slice(1);

/** Returns a group as one word: `FlowcontrolApiserver`. */
export function groupWord(group: string): string {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split(/[^A-Za-z0-9]+/);
  return words.map(capital).join('');
}

/** Returns the names of a version in operation IDs and tags: `AppsV1` and `apps_v1`. */
export function versionWords(group: string, version: string): Pick<OperationStyle, 'prefix' | 'tag'> {
  const name = groupWord(group);
  return { prefix: name + capital(version), tag: `${uncapital(name)}_${version}` };
}

function styleOf({ group, version, custom }: OpenApiVersion): OperationStyle {
  return {
    ...versionWords(group, version),
    custom,
    mediaTypes: custom ? [json, yaml] : [json, yaml, 'application/vnd.kubernetes.protobuf'],
    patchTypes: custom
      ? [...mergeTypes, applyType]
      : [applyType, ...mergeTypes, 'application/strategic-merge-patch+json'],
  };
}

/** Returns a function that finds components by the kind that they declare. */
function componentIndex(schemas: JsonObject): (kind: OperationKind) => string | undefined {
  const index = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    const kinds = (schema as JsonObject)['x-kubernetes-group-version-kind'] as JsonObject[] | undefined;
    for (const kind of kinds ?? []) index.set(`${kind.group}/${kind.version}/${kind.kind}`, name);
  }
  return ({ group, version, kind }) => index.get(`${group}/${version}/${kind}`);
}

interface Place {
  path: string;
  resource: ResourceDiscovery;
  kind: OperationKind;
  scope: string;
}

class PathWriter {
  readonly paths: JsonObject = {};
  readonly #of: OpenApiVersion;
  readonly #style: OperationStyle;
  readonly #root: string;
  readonly #component: (kind: OperationKind) => string | undefined;

  constructor(of: OpenApiVersion) {
    this.#of = of;
    this.#style = styleOf(of);
    this.#root = of.group === '' ? `/api/${of.version}` : `/apis/${of.group}/${of.version}`;
    this.#component = componentIndex(of.schemas);
  }

  /** Adds the path of the APIResourceList. */
  addResourceList(): void {
    const responds = this.#known(`${meta}.APIResourceList`);
    if (responds === undefined) return;
    const { prefix } = this.#style;
    this.paths[`${this.#root}/`] = {
      get: writeDocumentOperation(
        'get available resources',
        `get${prefix}APIResources`,
        responds,
        this.#style,
      ),
    };
  }

  addResource(resource: ResourceDiscovery): void {
    const namespaced = resource.scope === 'Namespaced';
    const inNamespace = namespaced ? `${this.#root}/namespaces/{namespace}` : this.#root;
    const kind = this.#kindOf(resource.responseKind);
    const scope = namespaced ? 'Namespaced' : '';
    const place = { resource, kind, scope };
    this.#addCollection({ ...place, path: `${inNamespace}/${resource.resource}` });
    this.#addObject({ ...place, path: `${inNamespace}/${resource.resource}/{name}` });
    if (namespaced && resource.verbs.includes('list')) {
      const path = `${this.#root}/${resource.resource}`;
      this.#add(path, kind, [this.#list({ ...place, path }, 'ForAllNamespaces')]);
    }
    for (const { subresource, responseKind, verbs } of resource.subresources ?? []) {
      const path = `${inNamespace}/${resource.resource}/{name}/${subresource}`;
      this.#addSubresource({ ...place, path }, subresource, this.#kindOf(responseKind), verbs);
    }
  }

  #kindOf(responseKind: OperationKind): OperationKind {
    return responseKind.version === ''
      ? { group: this.#of.group, version: this.#of.version, kind: responseKind.kind }
      : responseKind;
  }

  #list({ kind, scope, resource }: Place, suffix = ''): Operation {
    const listKind = this.#of.listKinds?.get(resource.resource) ?? `${kind.kind}List`;
    const isWatched = !this.#of.custom && resource.verbs.includes('watch');
    return {
      method: 'get',
      action: 'list',
      verb: 'list',
      description: `list ${isWatched ? 'or watch ' : ''}objects of kind ${kind.kind}`,
      kind,
      infix: suffix === '' ? scope : '',
      suffix,
      responds: this.#component({ ...kind, kind: listKind }),
    };
  }

  #addCollection(place: Place): void {
    const { kind, scope, resource, path } = place;
    const own = this.#component(kind);
    const operations: Operation[] = [];
    if (resource.verbs.includes('list')) operations.push(this.#list(place));
    if (resource.verbs.includes('create')) {
      const description = `create ${article(kind.kind)}`;
      const create = { method: 'post', action: 'post', verb: 'create', description } as const;
      operations.push({ ...create, kind, infix: scope, suffix: '', sends: own, responds: own });
    }
    if (resource.verbs.includes('deletecollection')) {
      const removal = { method: 'delete', action: 'deletecollection', verb: 'delete' } as const;
      const description = `delete collection of ${kind.kind}`;
      operations.push({
        ...removal,
        description,
        kind,
        infix: `Collection${scope}`,
        suffix: '',
        ...this.#removal(true),
      });
    }
    this.#add(path, kind, operations);
  }

  #addObject({ kind, scope, resource, path }: Place): void {
    const own = this.#component(kind);
    const one = { kind, infix: scope, suffix: '' };
    const operations = Object.entries(objectOperations)
      .filter(([verb]) => resource.verbs.includes(verb))
      .map(([verb, operation]): Operation => {
        const description = `${operation.words} ${verb === 'delete' ? article(kind.kind) : `the specified ${kind.kind}`}`;
        const bodies = verb === 'delete' ? this.#removal() : { responds: own, sends: this.#sent(verb, own) };
        return { ...operation, ...one, description, ...bodies };
      });
    this.#add(path, kind, operations);
  }

  #addSubresource(place: Place, name: string, kind: OperationKind, verbs: readonly string[]): void {
    const component = this.#component(kind);
    const suffix = name.charAt(0).toUpperCase() + name.slice(1);
    const parent = place.kind.kind;
    // Operations on subresources of custom resources name the kind itself.
    const named = this.#of.custom ? place.kind : kind;
    const own = { kind: { ...named, kind: parent }, infix: place.scope, suffix };
    const operations = Object.entries({ ...objectOperations, create: subresourceCreate })
      .filter(([verb]) => verbs.includes(verb))
      .map(([verb, operation]): Operation => {
        const description = `${operation.words} ${name} of ${verb === 'create' ? article(parent) : `the specified ${parent}`}`;
        return { ...operation, ...own, description, responds: component, sends: this.#sent(verb, component) };
      });
    this.#add(place.path, named, operations);
  }

  #sent(verb: string, own: string | undefined): string | undefined {
    if (verb === 'patch') return `${meta}.Patch`;
    return verb === 'update' || verb === 'create' ? own : undefined;
  }

  #removal(ofCollection = false): Pick<Operation, 'sends' | 'responds'> {
    const sends = ofCollection && this.#of.custom ? {} : { sends: `${meta}.DeleteOptions` };
    return { ...sends, responds: `${meta}.Status` };
  }

  /** Returns the component only if the document contains it. */
  #known(component: string | undefined): string | undefined {
    return component !== undefined && Object.hasOwn(this.#of.schemas, component) ? component : undefined;
  }

  #add(path: string, kind: OperationKind, operations: readonly Operation[]): void {
    if (operations.length === 0) return;
    const item: JsonObject = {};
    for (const operation of operations) {
      const known = { sends: this.#known(operation.sends), responds: this.#known(operation.responds) };
      const written = writeOperation({ ...operation, ...known }, this.#style);
      const of = written['x-kubernetes-group-version-kind'] as JsonObject;
      of.kind = kind.kind;
      item[operation.method] = written;
    }
    const own = pathParameters(path, kind.kind);
    item.parameters = operations.length === 1 ? [...own, ...takeParameters(item)].sort(byName) : own;
    setOwn(this.paths, path, item);
  }
}

const byName = (a: JsonObject, b: JsonObject): number => (String(a.name) < String(b.name) ? -1 : 1);

/** Moves the parameters of a single operation to its path. */
function takeParameters(item: JsonObject): JsonObject[] {
  return Object.values(item).flatMap((operation) => {
    const { parameters = [] } = operation as JsonObject;
    delete (operation as JsonObject).parameters;
    return parameters as JsonObject[];
  });
}

const objectOperations = {
  get: { method: 'get', action: 'get', verb: 'read', words: 'read' },
  update: { method: 'put', action: 'put', verb: 'replace', words: 'replace' },
  patch: { method: 'patch', action: 'patch', verb: 'patch', words: 'partially update' },
  delete: { method: 'delete', action: 'delete', verb: 'delete', words: 'delete' },
} as const;
const subresourceCreate = { method: 'post', action: 'post', verb: 'create', words: 'create' } as const;

/** As in kube-apiserver, kinds that look like a plural have no article: `Endpoints`, but `a StorageClass`. */
export const article = (kind: string): string =>
  /(^|[^s])s$/.test(kind) ? kind : `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;

function pathParameters(path: string, kind: string): JsonObject[] {
  const named = { ...writeParameter('name', 'path', 'string'), description: `name of the ${kind}` };
  return [
    ...(path.includes('{name}') ? [named] : []),
    ...(path.includes('{namespace}') ? [writeParameter('namespace', 'path', 'string')] : []),
    writeParameter('pretty', 'query', 'string'),
  ];
}
