import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { childOf, isMissing } from '../../shared/checks.ts';

/**
 * Sets both references to the object that a volume is filled from, if a claim has one of them. The older field refers
 * to claims and snapshots only: other references in it are dropped.
 */
export function completeDataSources(claim: KubeObject, old?: KubeObject): void {
  const spec = childOf(claim, 'spec');
  const isInUse = old !== undefined && isObject(childOf(old, 'spec').dataSource);
  if (!isInUse && isObject(spec.dataSource) && !isKnown(spec.dataSource)) delete spec.dataSource;
  const { dataSource, dataSourceRef } = spec;
  if (isObject(dataSource) && !isObject(dataSourceRef)) spec.dataSourceRef = { ...dataSource };
  else if (isObject(dataSourceRef) && !isObject(dataSource) && isMissing(dataSourceRef.namespace))
    spec.dataSource = withoutNamespace(dataSourceRef);
}

const isKnown = ({ apiGroup, kind }: JsonObject): boolean =>
  isMissing(apiGroup)
    ? kind === 'PersistentVolumeClaim'
    : apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';

const withoutNamespace = ({ namespace: _, ...reference }: JsonObject): JsonObject => reference;
