import { randomUUID } from 'node:crypto';
import { autoUpdate } from '@annex/flow-control';
import { withCreator } from '@annex/kinds';
import {
  deepEqual,
  formatTime,
  getOwn,
  type JsonObject,
  type KubeObject,
  parseGoBoolean,
} from '@annex/machinery';

/** The field manager of kube-apiserver. */
const manager = 'api-priority-and-fairness-config-producer-v1';

/** An object of priority and fairness that the server creates and keeps. */
export interface BootstrapObject {
  key: string;
  object: KubeObject & { spec: JsonObject };
  /** True if its spec is always restored; otherwise only while its annotation permits it. */
  isMandatory: boolean;
}

/** Describes the object of a kind with a name and a spec, in the folder of its kind. */
export const bootstrapObject = (
  kind: 'FlowSchema' | 'PriorityLevelConfiguration',
  folder: string,
  { name, spec }: { name: string; spec: object },
  isMandatory: boolean,
): BootstrapObject => ({
  key: folder + name,
  isMandatory,
  object: {
    kind,
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    metadata: { name, annotations: { [autoUpdate]: 'true' } },
    spec: spec as JsonObject,
    status: {},
  } as BootstrapObject['object'],
});

/** Returns the object as it is created. */
export function created({ object }: BootstrapObject, now: number): KubeObject {
  const identity = { uid: randomUUID(), generation: 1, creationTimestamp: formatTime(now) };
  return withCreator({ ...object, metadata: { ...object.metadata, ...identity } }, { manager, now });
}

/**
 * Returns the restored form of a stored object; `undefined` if there is nothing to restore. The annotation of a suggested object
 * decides whether its spec is restored; without a valid one, it is restored until it is changed for the first time.
 */
export function restored(
  { object, isMandatory }: BootstrapObject,
  found: KubeObject,
): KubeObject | undefined {
  const annotation = parseGoBoolean(found.metadata.annotations?.[autoUpdate] ?? '');
  const keeps = isMandatory || (annotation ?? (found.metadata.generation ?? 0) === 1);
  const isAnnotated = annotation === keeps;
  const isChanged = keeps && !isSameSpec(object, found);
  if (isAnnotated && !isChanged) return undefined;
  const generation = (found.metadata.generation ?? 0) + (isChanged ? 1 : 0);
  const annotations = isAnnotated
    ? found.metadata.annotations
    : { ...found.metadata.annotations, [autoUpdate]: String(keeps) };
  return {
    ...found,
    metadata: { ...found.metadata, generation, annotations } as KubeObject['metadata'],
    ...(isChanged ? { spec: object.spec } : {}),
  };
}

/** Administrators are allowed to give the level `exempt` seats. */
function isSameSpec(object: KubeObject & { spec: JsonObject }, found: KubeObject): boolean {
  const { spec } = found as KubeObject & { spec?: JsonObject };
  if (object.kind === 'PriorityLevelConfiguration' && object.metadata.name === 'exempt')
    return spec !== undefined && getOwn(spec, 'type') === 'Exempt';
  return deepEqual(object.spec, spec);
}
