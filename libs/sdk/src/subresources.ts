import {
  deepCopy,
  groupVersion,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
} from '@annex/machinery';
import { asJson, scaleSchema, statusEndpoint, type Subresource } from '@annex/kinds';
import type { DefinedSchema } from '@annex/schema';
import { compileDefined } from './defined-schema.ts';
import type {
  OwnObjects,
  ResourceDefinition,
  ScaleDefinition,
  SubresourceDefinition,
} from './resource-definition.ts';
import { extensionRequest } from './extension-request.ts';

/** The input of the subresources. */
interface Parts {
  group: string;
  definition: ResourceDefinition & { plural: string };
  schema: DefinedSchema;
  hasStatus: boolean;
  objects: OwnObjects;
}

/** Returns all subresources of a definition, by name. */
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

const requestOf = (request: Parameters<typeof extensionRequest>[0], object: KubeObject, parts: Parts) =>
  extensionRequest(request, { group: parts.group, resource: parts.definition.plural }, object, parts.objects);

type Validate = NonNullable<Subresource['validate']>;

/**
 * Validates the changed part by the schema, and then the object by the definition if the schema finds no
 * errors.
 */
const validation = (parts: Parts, ofSchema: 'validate' | 'validateStatus'): Validate => {
  const { definition, schema } = parts;
  return async (updated, parent, request) => {
    const errors = schema[ofSchema](asJson(updated), asJson(parent));
    if (errors.length > 0) return errors;
    return (await definition.validate?.(updated, parent, requestOf(request, updated, parts))) ?? [];
  };
};

function statusOf(parts: Parts): Subresource {
  const { version, kind } = parts.definition;
  return {
    group: parts.group,
    version,
    kind,
    verbs: ['get', 'patch', 'update'],
    ...statusEndpoint(),
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
    ...(get ? { read: (parent, request) => get(parent, requestOf(request, parent, parts)) } : {}),
    ...(put
      ? { write: (sent, parent, request) => put(sent, parent, requestOf(request, parent, parts)) }
      : {}),
    ...(post
      ? {
          create: async (sent, parent, request) => {
            const object = parent as KubeObject;
            return await post(sent, object, requestOf(request, object, parts));
          },
        }
      : {}),
    validate: validation(parts, 'validate'),
  };
}
