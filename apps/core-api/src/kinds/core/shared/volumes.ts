import { errorsOfEach } from '@annex/machinery';
import type { Cell } from '@annex/kinds';
import { at, type Cells, textCell } from '../../shared/cells.ts';
import { oneOf, required } from '../../shared/checks.ts';

const modeNames: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Returns access modes as kubectl prints them. */
export function accessModesText(modes: unknown): string {
  const list = Array.isArray(modes) ? modes : [];
  return Object.keys(modeNames)
    .filter((mode) => list.includes(mode))
    .map((mode) => modeNames[mode])
    .join(',');
}

const volumePhase: Cell = (object) =>
  object.metadata.deletionTimestamp === undefined ? String(at(object, 'status.phase') ?? '') : 'Terminating';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

const storageClass: Cell = (object) =>
  object.metadata.annotations?.[classAnnotation] ?? String(at(object, 'spec.storageClassName') ?? '');

/** The columns that volumes and claims share. */
export const volumeColumns: Cells = {
  Status: volumePhase,
  StorageClass: storageClass,
  VolumeAttributesClass: textCell('spec.volumeAttributesClassName', '<unset>'),
  VolumeMode: textCell('spec.volumeMode', '<unset>'),
};

const accessMode = oneOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod');

/** Checks the access modes of a volume; errors have the path of the list. */
export const validateAccessModes = required(
  (value, at) => errorsOfEach(Array.isArray(value) ? value : [], (mode) => accessMode(mode ?? '', at)),
  'at least 1 access mode is required',
);

/** The warning about the annotation that `storageClassName` replaced. */
export const formerClassAnnotation = {
  'volume.beta.kubernetes.io/storage-class':
    'deprecated since v1.8; use "storageClassName" attribute instead',
};
