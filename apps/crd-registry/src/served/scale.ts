import {
  badRequest,
  deepCopy,
  type FieldError,
  groupVersion,
  internalError,
  isObject,
  type KubeObject,
  StatusError,
} from '@annex/machinery';
import type { ObjectSchema, ReplicasPaths } from '@annex/schema';
import { asJson, scaleSchema, type Subresource } from '@annex/kinds';
import type { Crd, ScalePaths } from '../crd/crd.ts';
import { nestedInteger, nestedString, setNested, splitPath } from './nested.ts';

/** Marks an unset value while a Scale is patched; no valid value equals it. */
const unset = -2147483648;

interface Paths {
  spec: string[];
  status: string[];
  selector: string[] | undefined;
}

const pathsOf = (scale: ScalePaths): Paths => ({
  spec: splitPath(scale.specReplicasPath),
  status: splitPath(scale.statusReplicasPath),
  selector: scale.labelSelectorPath ? splitPath(scale.labelSelectorPath) : undefined,
});

/** Returns the scale subresource of a version: a Scale of `autoscaling/v1` over three paths of the object. */
export function scaleSubresource(
  scale: ScalePaths,
  crd: Crd,
  validate: (updated: KubeObject, parent: KubeObject) => FieldError[],
): Subresource {
  const paths = pathsOf(scale);
  return {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: ['get', 'patch', 'update'],
    get schema(): ObjectSchema {
      return scaleSchema();
    },
    read(parent, request) {
      const { object, found } = scaleOf(parent, paths);
      if (found) return object;
      if (request.info.verb === 'get') {
        throw internalError(
          `the spec replicas field ${JSON.stringify(scale.specReplicasPath)} does not exist`,
        );
      }
      return { ...object, spec: { replicas: unset } };
    },
    asShown: (object) =>
      (object.spec as { replicas?: unknown }).replicas === unset ? { ...object, spec: {} } : object,
    write: (sent, parent) => withReplicas(sent, parent, scale, paths),
    replicasPaths: replicasPathsOf(crd),
    applyError: 'request to convert CR to an invalid group/version: autoscaling/v1',
    validate,
  };
}

const replicasPathsOf = ({ spec: { group, versions } }: Crd): ReplicasPaths =>
  new Map(
    (versions ?? []).map(({ name: version, subresources }) => [
      groupVersion({ group, version }),
      subresources?.scale && splitPath(subresources.scale.specReplicasPath),
    ]),
  );

function scaleOf(parent: KubeObject, paths: Paths): { object: KubeObject; found: boolean } {
  const spec = take(nestedInteger(asJson(parent), paths.spec));
  const status = take(nestedInteger(asJson(parent), paths.status));
  const selector = paths.selector ? take(nestedString(asJson(parent), paths.selector)) : undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const replicas = Number(BigInt.asIntN(32, BigInt(spec ?? 0)));
  const object = {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: Number(BigInt.asIntN(32, BigInt(status ?? 0))),
      ...(selector ? { selector } : {}),
    },
  } as KubeObject;
  return { object, found: spec !== undefined };
}

function take<T>(found: { value: T } | { error: string }): T {
  if ('error' in found) throw unknownError(found.error);
  return found.value;
}

// kube returns status 500 without details for errors without a Status.
const unknownError = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });

function withReplicas(sent: KubeObject, parent: KubeObject, scale: ScalePaths, paths: Paths): KubeObject {
  const spec = isObject(sent.spec) ? sent.spec : {};
  const replicas = Number(spec.replicas ?? 0);
  if (replicas === unset) {
    throw badRequest(`the spec replicas field ${JSON.stringify(scale.specReplicasPath)} cannot be empty`);
  }
  const updated = deepCopy(parent);
  const error = setNested(updated, paths.spec, replicas);
  if (error !== undefined) throw unknownError(error);
  const { resourceVersion } = sent.metadata;
  if (resourceVersion) updated.metadata.resourceVersion = resourceVersion;
  return updated;
}
