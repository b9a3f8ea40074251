import type { Client } from '@annex/client';
import { isReason, type ObjectMeta } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { patiently } from './patient-client.ts';

/** What is looked at of a CustomResourceDefinition. */
export interface Definition {
  metadata: ObjectMeta;
  spec: {
    group: string;
    scope: string;
    names: { plural: string };
    versions: { name: string; served: boolean; storage: boolean }[];
  };
  status: { storedVersions: string[] | null };
}

/** A resource whose objects are to be stored anew. */
export interface StoredResource {
  /** `plural.group`, as it was asked for. */
  name: string;
  /** The path of its group and version. */
  base: string;
  plural: string;
  /** Where it is a custom one: its definition as it was when the migration began. */
  definition?: Definition;
}

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The version in which new objects are stored. */
export const storageVersion = ({ spec }: Definition): string =>
  spec.versions.find(({ storage }) => storage)?.name ?? '';

/** True where objects may be stored in another version than new ones are. */
export const isMixed = (definition: Definition): boolean =>
  (definition.status.storedVersions ?? []).some((version) => version !== storageVersion(definition));

/** The definitions that name further versions beside the one of today. */
export async function mixedDefinitions(client: Client): Promise<Definition[]> {
  const { items } = await patiently<{ items: Definition[] }>(client, { path: definitions });
  return items.filter(isMixed);
}

/** Finds `plural.group`: a custom resource, or else whatever the server lists under that name. */
export async function findResource(client: Client, name: string): Promise<StoredResource> {
  try {
    return resourceOf(await patiently<Definition>(client, { path: `${definitions}/${name}` }));
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
    return await findListed(client, name);
  }
}

/** The custom resource that a definition defines. */
export function resourceOf(definition: Definition): StoredResource {
  const { group, names, versions } = definition.spec;
  const name = `${names.plural}.${group}`;
  const served = versions.filter((version) => version.served);
  // Any version rewrites an object; the stored one needs no conversion of those that are there already.
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version === undefined) throw unusable(`${name} has no version that is served`);
  return { name, base: `/apis/${group}/${version.name}`, plural: names.plural, definition };
}

interface ResourceList {
  resources: { name: string; verbs: string[] }[];
}

async function findListed(client: Client, name: string): Promise<StoredResource> {
  const [plural = '', ...rest] = name.split('.');
  const base = await basePath(client, rest.join('.'));
  const list = base && (await patiently<ResourceList>(client, { path: base }));
  const found = list && list.resources.find((resource) => resource.name === plural);
  if (!base || !found) throw unusable(`the server has no resource ${name}; it is written as plural.group`);
  if (!['list', 'patch'].every((verb) => found.verbs.includes(verb)))
    throw unusable(`objects of ${name} are not stored`);
  return { name, base, plural };
}

/** The path of the version of a group that its server prefers; `undefined` for a group that is not served. */
async function basePath(client: Client, group: string): Promise<string | undefined> {
  if (group === '') return '/api/v1';
  type Group = { preferredVersion: { groupVersion: string } };
  try {
    const { preferredVersion } = await patiently<Group>(client, { path: `/apis/${group}` });
    return `/apis/${preferredVersion.groupVersion}`;
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

const unusable = (message: string): OperatorError => new OperatorError('RESOURCE_UNUSABLE', message);
