import {
  deepCopy,
  groupVersion,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
} from '@annex/machinery';
import { asJson, scaleSchema, statusSubresource, type Subresource } from '@annex/kinds';
import { compileDefined, type DefinedSchema } from './defined-schema.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { type ExtensionRequest, extensionRequest } from './extension-request.ts';
import type { OwnObjects } from './own-objects.ts';
import type { Schema } from './schema-type.ts';

/** How many there are of what an object stands for: makes `kubectl scale` and autoscalers work. */
export interface ScaleDefinition<T = KubeObject> {
  /** How many are wanted. */
  replicas(object: T): number;
  /** Writes how many are wanted into an object. */
  setReplicas(object: T, replicas: number): void;
  /** How many there are; what is wanted by default. */
  currentReplicas?(object: T): number;
  /** Labels of what is counted, as a selector in text form: `app=web`. */
  selector?(object: T): string;
}

/** A further endpoint of each object: `…/<plural>/<name>/<subresource>`, with rights of its own. */
export interface SubresourceDefinition<T = KubeObject> {
  /** What is sent and answered; the resource's own kind by default. */
  kind?: string;
  /** Default: that of the resource. */
  apiVersion?: string;
  /** What is sent, where it is of another kind. */
  schema?: Schema;
  /** Answers GET. */
  get?(object: T, request: ExtensionRequest): KubeObject | Promise<KubeObject>;
  /** Answers PUT and PATCH with the object as it shall be stored; needs `get`. Must not change `object`. */
  put?(sent: KubeObject, object: T, request: ExtensionRequest): T | Promise<T>;
  /** Answers POST; stores nothing. */
  post?(sent: KubeObject, object: T, request: ExtensionRequest): KubeObject | Promise<KubeObject>;
}

/** What subresources are made of. */
interface Parts {
  group: string;
  definition: ResourceDefinition & { plural: string };
  schema: DefinedSchema;
  hasStatus: boolean;
  objects: OwnObjects;
}

/** All subresources of a definition, by their names. */
export function subresourcesOf(parts: Parts): Record<string, Subresource> {
  const { definition, hasStatus } = parts;
  const made: [string, Subresource][] = Object.entries(definition.subresources ?? {}).map(([name, spec]) => [
    name,
    ownOf(spec, parts),
  ]);
  if (hasStatus) made.push(['status', statusOf(parts)]);
  if (definition.scale) made.push(['scale', scaleOf(definition.scale, parts)]);
  return Object.fromEntries(made.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const requestOf = (ctx: Parameters<typeof extensionRequest>[0], object: KubeObject, parts: Parts) =>
  extensionRequest(ctx, { group: parts.group, resource: parts.definition.plural }, object, parts.objects);

type Validate = NonNullable<Subresource['validate']>;

/** What the schema says of the part that is written; where that is nothing, what the definition says of the object. */
const validation = (parts: Parts, ofSchema: 'validate' | 'validateStatus'): Validate => {
  const { definition, schema } = parts;
  return async (updated, parent, ctx) => {
    const errors = schema[ofSchema](asJson(updated), asJson(parent));
    if (errors.length > 0) return errors;
    return (await definition.validate?.(updated, parent, requestOf(ctx, updated, parts))) ?? [];
  };
};

function statusOf(parts: Parts): Subresource {
  const { version, kind } = parts.definition;
  return {
    group: parts.group,
    version,
    kind,
    verbs: ['get', 'patch', 'update'],
    ...statusSubresource,
    validate: validation(parts, 'validateStatus'),
  };
}

function scaleOf(scale: ScaleDefinition, parts: Parts): Subresource {
  return {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: ['get', 'patch', 'update'],
    get schema() {
      return scaleSchema();
    },
    read(parent) {
      const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
      const replicas = scale.replicas(parent);
      const selector = scale.selector?.(parent);
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
        spec: replicas === 0 ? {} : { replicas },
        status: {
          replicas: scale.currentReplicas?.(parent) ?? replicas,
          ...(selector ? { selector } : {}),
        },
      } as KubeObject;
    },
    write(sent, parent) {
      const updated = deepCopy(parent);
      scale.setReplicas(updated, Number((sent.spec as { replicas?: number } | undefined)?.replicas ?? 0));
      const { resourceVersion } = sent.metadata;
      if (resourceVersion) updated.metadata.resourceVersion = resourceVersion;
      return updated;
    },
    validate: validation(parts, 'validate'),
  };
}

function ownOf(spec: SubresourceDefinition, parts: Parts): Subresource {
  const { definition, group } = parts;
  const { get, put, post } = spec;
  const kind = spec.kind ?? definition.kind;
  const type = parseGroupVersion(spec.apiVersion ?? groupVersion({ group, version: definition.version }));
  return {
    ...type,
    kind,
    verbs: [...(post ? ['create'] : []), ...(get ? ['get'] : []), ...(get && put ? ['patch', 'update'] : [])],
    ...(spec.schema
      ? { schema: compileDefined({ ...type, kind, schema: spec.schema as JsonObject }, definition.typed) }
      : {}),
    ...(get ? { read: (parent, ctx) => get(parent, requestOf(ctx, parent, parts)) } : {}),
    ...(put ? { write: (sent, parent, ctx) => put(sent, parent, requestOf(ctx, parent, parts)) } : {}),
    ...(post
      ? {
          create: async (sent, parent, ctx) => {
            const object = parent as KubeObject;
            return await post(sent, object, requestOf(ctx, object, parts));
          },
        }
      : {}),
    validate: validation(parts, 'validate'),
  };
}
