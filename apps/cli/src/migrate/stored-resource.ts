import type { Client } from '@annex/client';
import { isReason, type ObjectMeta } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { jsonWithRetries } from './retrying-client.ts';

/** The members of a CustomResourceDefinition that a migration reads. */
export interface Crd {
  metadata: ObjectMeta;
  spec: {
    group: string;
    scope: string;
    names: { plural: string };
    versions: { name: string; served: boolean; storage: boolean }[];
  };
  status: { storedVersions: string[] | null };
}

/** A resource whose objects are rewritten. */
export interface StoredResource {
  /** `plural.group`, as in the command line. */
  name: string;
  /** The path of its group and version. */
  base: string;
  plural: string;
  /** The CustomResourceDefinition as it was when the migration began; absent for other resources. */
  crd?: Crd;
}

export const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Returns the version in which new objects are stored. */
export const storageVersion = ({ spec }: Crd): string =>
  spec.versions.find(({ storage }) => storage)?.name ?? '';

/** True if objects may be stored in a version other than the storage version. */
export const isMixed = (crd: Crd): boolean =>
  (crd.status.storedVersions ?? []).some((version) => version !== storageVersion(crd));

/** Resolves to the CustomResourceDefinitions whose `status.storedVersions` contain other versions than the storage version. */
export async function mixedCrds(client: Client): Promise<Crd[]> {
  const { items } = await jsonWithRetries<{ items: Crd[] }>(client, { path: crdsPath });
  return items.filter(isMixed);
}

/** Finds `plural.group`: a custom resource, or else any resource in the server's discovery. */
export async function findResource(client: Client, name: string): Promise<StoredResource> {
  try {
    return resourceOf(await jsonWithRetries<Crd>(client, { path: `${crdsPath}/${name}` }));
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
    return await findListed(client, name);
  }
}

/** Returns the resource that a CustomResourceDefinition defines. */
export function resourceOf(crd: Crd): StoredResource {
  const { group, names, versions } = crd.spec;
  const name = `${names.plural}.${group}`;
  const served = versions.filter((version) => version.served);
  // Any version can rewrite an object; the storage version needs no conversion of objects that are already stored in it.
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (version === undefined) throw unusable(`${name} has no served version`);
  return { name, base: `/apis/${group}/${version.name}`, plural: names.plural, crd: crd };
}

interface ResourceList {
  resources: { name: string; verbs: string[] }[];
}

async function findListed(client: Client, name: string): Promise<StoredResource> {
  const [plural = '', ...rest] = name.split('.');
  const base = await basePath(client, rest.join('.'));
  const list = base && (await jsonWithRetries<ResourceList>(client, { path: base }));
  const found = list && list.resources.find((resource) => resource.name === plural);
  if (!base || !found)
    throw unusable(`the server has no resource ${name}; the form of the name is plural.group`);
  if (!['list', 'patch'].every((verb) => found.verbs.includes(verb)))
    throw unusable(`objects of ${name} are not stored`);
  return { name, base, plural };
}

/** Resolves to the path of the preferred version of a group; `undefined` if the group is not served. */
async function basePath(client: Client, group: string): Promise<string | undefined> {
  if (group === '') return '/api/v1';
  type Group = { preferredVersion: { groupVersion: string } };
  try {
    const { preferredVersion } = await jsonWithRetries<Group>(client, { path: `/apis/${group}` });
    return `/apis/${preferredVersion.groupVersion}`;
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

const unusable = (message: string): OperatorError => new OperatorError('RESOURCE_UNUSABLE', message);
