import {
  hasManyParts,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
  type Passes,
} from '@annex/machinery';
import { applyPatchInPasses, type ObjectSchema, trackUpdate } from '@annex/schema';
import { builtinSchema } from './schema.ts';

/** A component of the server that writes the status of objects of built-in kinds. */
interface StatusOwner {
  manager: string;
  /** Milliseconds since the epoch. */
  now: number;
}

const schemas = new Map<string, ObjectSchema>();

function tracking({ apiVersion = '', kind = '' }: KubeObject) {
  const key = `${apiVersion} ${kind}`;
  let schema = schemas.get(key);
  if (schema === undefined) {
    const { group, version } = parseGroupVersion(apiVersion);
    schema = builtinSchema(group, version, { group, version, kind });
    schemas.set(key, schema);
  }
  return { schema: schema.root, empty: schema.empty, apiVersion, kind, typed: true, subresource: 'status' };
}

/** Returns whether field owners of an object are tracked. The server's own objects have none. */
const isTracked = ({ metadata }: KubeObject): boolean => metadata.managedFields !== undefined;

/** Returns an object with an updated status, which the owner manages. */
export const ownedStatus = (live: KubeObject, updated: KubeObject, owner: StatusOwner): KubeObject =>
  isTracked(live)
    ? trackUpdate({
        ...tracking(live),
        ...owner,
        live,
        updated: { ...updated, metadata: { ...updated.metadata } },
      })
    : updated;

/** Returns an object with a status that the owner applies: it takes the fields from other managers. */
export function* appliedStatus(
  live: KubeObject,
  status: JsonObject,
  owner: StatusOwner,
): Passes<KubeObject | undefined> {
  if (!isTracked(live)) return undefined;
  const { object } = yield* applyPatchInPasses({
    ...tracking(live),
    ...owner,
    live,
    applied: {
      apiVersion: live.apiVersion ?? '',
      kind: live.kind ?? '',
      metadata: { name: live.metadata.name ?? '' },
      status,
    },
    force: true,
    large: hasManyParts(live),
  });
  return object;
}
