import type { Subresource } from '@annex/kinds';
import { type JsonObject, type KubeObject, type ObjectMeta, setOwn } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import { validateEphemeralContainers } from './ephemeral-containers.ts';
import { validateResize } from './resize.ts';

type Written = Pick<Subresource, 'write' | 'validate'>;

/** Returns the pod with another spec; of the metadata, only what the server compares and tracks is written. */
function withSpec(sent: KubeObject, pod: KubeObject, spec: JsonObject): KubeObject {
  const { resourceVersion, managedFields } = sent.metadata;
  const metadata: ObjectMeta = { ...pod.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  return { ...pod, metadata, spec };
}

/** Adds ephemeral containers to a pod. */
export const ephemeralContainers: Written = {
  write(sent, pod) {
    const { ephemeralContainers: added } = childOf(sent, 'spec');
    const { ephemeralContainers: _present, ...spec } = childOf(pod, 'spec');
    if (added !== undefined) setOwn(spec, 'ephemeralContainers', added);
    return withSpec(sent, pod, spec);
  },
  validate: validateEphemeralContainers,
};

/** Changes the resources of a pod and of its containers. */
export const resize: Written = {
  write(sent, pod) {
    const [sentSpec, spec] = [childOf(sent, 'spec'), childOf(pod, 'spec')];
    const lists = ['containers', 'initContainers'] as const;
    const isSameLength = lists.every(
      (list) => objectsOf(sentSpec[list]).length === objectsOf(spec[list]).length,
    );
    // Validation reports containers that were added or removed.
    if (!isSameLength) return withSpec(sent, pod, sentSpec);
    const resized: JsonObject = { ...spec };
    for (const list of lists)
      if (spec[list] !== undefined) resized[list] = resizedContainers(sentSpec[list], spec[list]);
    if (sentSpec.resources === undefined) delete resized.resources;
    else resized.resources = sentSpec.resources;
    return withSpec(sent, pod, resized);
  },
  validate: validateResize,
};

/** Returns the containers with the requested resources. If names or their order differ, validation reports it. */
function resizedContainers(sent: unknown, stored: unknown): JsonObject[] {
  const [requested, containers] = [objectsOf(sent), objectsOf(stored)];
  if (requested.some(({ name }, index) => name !== containers[index]?.name)) return [...requested];
  return containers.map((container, index) => {
    const { resources, resizePolicy } = requested[index] as JsonObject;
    const { resources: _resources, resizePolicy: _policy, ...others } = container;
    return {
      ...others,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}
