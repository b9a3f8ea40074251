import { randomInt, randomUUID } from 'node:crypto';
import { deepEqual, formatTime, type KubeObject, setOwn } from '@annex/machinery';
import { mapMaybePromise } from '@annex/runtime';
import type { ServerDeps } from '../app.ts';
import type { GenerationRules } from '@annex/kinds';
import { equalInSlices } from '../large-objects.ts';
import type { Step } from '../step.ts';
import { checkNamespace } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { isLargeWrite } from './large-write.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';

/**
 * Sets the fields that the server owns: identity and times of a new object, immutable fields of an update,
 * the generation.
 */
export const prepare = (deps: ServerDeps): Step<WriteContext> => ({
  name: 'prepare',
  run(write, next) {
    dropRepeatedOwners(write, 'after mutating admission');
    const { current } = write;
    const prepared = current === undefined ? prepareNew(write, deps) : prepareUpdate(write, current.object);
    return mapMaybePromise(prepared, () => next(write));
  },
});

function prepareNew(write: WriteContext, deps: ServerDeps): Promise<void> | void {
  const { kind, object, query } = write;
  const { metadata } = object;
  // A dry run keeps selfLink; a store removes it.
  if (!query.dryRun) delete metadata.selfLink;
  if (!metadata.name && metadata.generateName) metadata.name = generatedName(metadata.generateName);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(deps.clock.now());
  checkNamespace(write, object);
  return mapMaybePromise(kind.strategy.prepareForCreate?.(object, write.request), () => {
    const { generation } = kind.strategy;
    if (generation && generation !== 'fromFirstChange') metadata.generation = 1;
    write.name = metadata.name ?? '';
  });
}

function prepareUpdate(write: WriteContext, old: KubeObject): Promise<void> | void {
  const { kind, object, subresource } = write;
  const { metadata } = object;
  checkNamespace(write, object);
  // checkPreconditions has compared the resourceVersion; from here on, every update has one.
  metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  if (!write.query.dryRun) delete metadata.selfLink;
  restoreFields(object, old, ['generation']);
  const ofKind =
    subresource === undefined ? kind.strategy.prepareForUpdate?.(object, old, write.request) : undefined;
  return mapMaybePromise(ofKind, () => keepServerFields(write, old));
}

/** Restores what no update changes, and counts the generation. */
function keepServerFields(write: WriteContext, old: KubeObject): Promise<void> | void {
  const { kind, object, subresource } = write;
  const { metadata } = object;
  metadata.uid ||= old.metadata.uid ?? '';
  if (old.metadata.creationTimestamp) metadata.creationTimestamp = old.metadata.creationTimestamp;
  // A deletion cannot be undone or changed; validation checks whether it may begin here.
  if (old.metadata.deletionTimestamp !== undefined) restoreFields(object, old, ['deletionTimestamp']);
  if (metadata.deletionGracePeriodSeconds === undefined)
    restoreFields(object, old, ['deletionGracePeriodSeconds']);
  const { generation } = kind.strategy;
  if (!generation || generation === 'fixed') return;
  return mapMaybePromise(specChanged(write, old), (isChanged) => {
    if (isChanged || (subresource === undefined && countedMetadataChanged(object, old, kind.strategy)))
      metadata.generation = Number(old.metadata.generation ?? 0) + 1;
  });
}

function restoreFields(
  object: KubeObject,
  old: KubeObject,
  fields: ('generation' | 'deletionTimestamp' | 'deletionGracePeriodSeconds')[],
) {
  for (const field of fields) {
    if (old.metadata[field] === undefined) delete object.metadata[field];
    else setOwn(object.metadata, field, old.metadata[field]);
  }
}

/** Returns whether anything differs except metadata, and status if it is a subresource. */
function specChanged(write: WriteContext, old: KubeObject): boolean | Promise<boolean> {
  const hasStatus = write.kind.subresources.status !== undefined;
  const spec = ({ metadata: _metadata, status, ...rest }: KubeObject) =>
    hasStatus ? rest : { ...rest, status };
  const [before, after] = [spec(old), spec(write.object)];
  if (!isLargeWrite(write)) return !deepEqual(after, before);
  return equalInSlices(after, before).then((isSame) => !isSame);
}

function countedMetadataChanged(
  object: KubeObject,
  old: KubeObject,
  { generationCounts }: GenerationRules,
): boolean {
  if (generationCounts === undefined) return false;
  return !deepEqual(object.metadata[generationCounts] ?? {}, old.metadata[generationCounts] ?? {});
}

// Alphabet and lengths of names that kube-apiserver generates: no vowels, so that no words result.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

export function generatedName(base: string): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += alphabet[randomInt(alphabet.length)];
  return base.slice(0, 58) + suffix;
}
