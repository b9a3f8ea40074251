import type { ClusterObjects } from '../../cache/cluster.ts';
import type { Pod, Volume } from '../../objects/pod.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../objects/volumes.ts';

/** A volume of a Pod that a claim provides. */
export interface ClaimedVolume {
  readonly claimName: string;
  /** True if the claim is made for the Pod. */
  readonly isEphemeral: boolean;
}

/** Returns the volumes of a Pod that claims provide. */
export const claimedVolumes = ({ metadata, spec }: Pod): ClaimedVolume[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }: Volume): ClaimedVolume[] => {
    if (persistentVolumeClaim !== undefined)
      return [{ claimName: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral === undefined ? [] : [{ claimName: `${metadata.name}-${name}`, isEphemeral: true }];
  });

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const bindCompleted = 'pv.kubernetes.io/bind-completed';

/** The class of a claim or a volume; empty without one. */
export const classOf = ({
  metadata: { annotations },
  spec,
}: Pick<PersistentVolume | PersistentVolumeClaim, 'metadata'> & {
  spec: { storageClassName?: string };
}): string => annotations?.[classAnnotation] ?? spec.storageClassName ?? '';

/** Returns whether the claim has a volume, and the volume the claim. */
export const isFullyBound = ({ metadata: { annotations }, spec }: PersistentVolumeClaim): boolean =>
  (spec.volumeName ?? '') !== '' && annotations?.[bindCompleted] !== undefined;

/** Returns whether volumes of a class are bound when a Pod uses them; `undefined` without a class. */
export function isDelayed(claim: PersistentVolumeClaim, { storageClasses }: ClusterObjects): boolean {
  const className = classOf(claim);
  return className !== '' && storageClasses.get(className)?.volumeBindingMode === 'WaitForFirstConsumer';
}

export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;

/** Returns whether a Pod uses a claim. */
export const usesClaim = ({ pod, namespace }: PodInfo, { metadata }: PersistentVolumeClaim): boolean =>
  metadata.namespace === namespace &&
  claimedVolumes(pod).some(({ claimName }) => claimName === metadata.name);

/** Returns the error of an ephemeral volume whose claim belongs to another object. */
export function foreignClaimError(
  { metadata: pod }: Pod,
  { metadata }: PersistentVolumeClaim,
): string | undefined {
  const isOwn = metadata.ownerReferences?.some(
    ({ kind, uid, controller }) => controller === true && kind === 'Pod' && uid === pod.uid,
  );
  return isOwn
    ? undefined
    : `PVC ${metadata.namespace}/${metadata.name} was not created for pod ${pod.namespace}/${pod.name} (pod is not owner)`;
}
