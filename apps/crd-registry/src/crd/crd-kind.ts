import {
  conflict,
  finish,
  finishInSlices,
  formatTime,
  type JsonObject,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import { pauseFor } from '@annex/server';
import type { ObjectSchema } from '@annex/schema';
import {
  builtinKinds,
  type KindExtension,
  type Preconditions,
  type RequestContext,
  type ResourceKind,
} from '@annex/kinds';
import { setCondition } from '../life-cycle/conditions.ts';
import { cleanupFinalizer, type Crd, crdGroup, crdResource, storageVersionOf } from './crd.ts';
import { internalCrd } from './internal-form.ts';
import { crdDefaults } from './defaults.ts';
import { formatWarnings } from '../validation/format-warnings.ts';
import { validateCrd, validateCrdStatus, validateCrdUpdate } from '../validation/validate-crd.ts';

const asCrd = (object: KubeObject): Crd => object as unknown as Crd;

/** Returns the kind CustomResourceDefinition. `now` returns milliseconds since the epoch. */
export function crdKind(now: () => number): ResourceKind {
  const [recorded] = builtinKinds((group) => group === crdGroup, [{ ...crdResource, ...crdExtension(now) }]);
  if (recorded === undefined) throw new Error('CustomResourceDefinition is not recorded');
  return recorded;
}

/** Validates in slices, while the client waits: a schema of megabytes takes seconds, and each of its rules a millisecond. */
export const inSlices = <T>(passes: Passes<T>, request: RequestContext): Promise<T> =>
  finishInSlices(passes, pauseFor(request));

/** Reduces a recorded schema to decoding: kube validates CRDs by code only. */
export const decodingOnly =
  (defaultsInPasses: (object: JsonObject) => Passes<void>) =>
  (recorded: ObjectSchema): ObjectSchema => ({
    ...recorded,
    applyDefaults: (object) => finish(defaultsInPasses(object)),
    defaultsInPasses,
    validate: () => [],
  });

/** The behavior of the kind that recordings do not contain. */
export function crdExtension(now: () => number): KindExtension {
  return {
    schema: decodingOnly(crdDefaults),
    strategy: {
      generation: true,
      metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: false },
      prepareForCreate(object) {
        const crd = asCrd(object);
        const storage = storageVersionOf(crd);
        crd.status = {
          conditions: null,
          acceptedNames: { plural: '', kind: '' },
          storedVersions: storage === undefined ? null : [storage],
        };
      },
      prepareForUpdate(object, old) {
        const crd = asCrd(object);
        crd.status = { ...asCrd(old).status };
        const storage = storageVersionOf(crd);
        if (storage !== undefined && !crd.status.storedVersions?.includes(storage)) {
          crd.status.storedVersions = [...(crd.status.storedVersions ?? []), storage];
        }
      },
      validateCreate: (object, request) => inSlices(validateCrd(internalCrd(asCrd(object))), request),
      validateUpdate: (object, old, request) =>
        inSlices(validateCrdUpdate(internalCrd(asCrd(object)), internalCrd(asCrd(old))), request),
      warnings: (object, old, request) =>
        inSlices(formatWarnings(internalCrd(asCrd(object)), old && internalCrd(asCrd(old))), request),
      checkPreconditions,
      beginDelete: (object) => beginDelete(asCrd(object), now()),
    },
    subresources: {
      status: {
        metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: false },
        validate: (updated) => validateCrdStatus(asCrd(updated)),
      },
    },
    cells: {
      'Created At': (object) => object.metadata.creationTimestamp ?? '',
    },
  };
}

/** Checks preconditions with kube's error messages for CRDs, which differ from those for other kinds. */
function checkPreconditions({ metadata }: KubeObject, expected: Preconditions): void {
  const pairs = [
    ['UID', expected.uid, metadata.uid],
    ['ResourceVersion', expected.resourceVersion, metadata.resourceVersion],
  ] as const;
  for (const [what, wanted, found] of pairs) {
    if (wanted === undefined || wanted === null || wanted === found) continue;
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`;
    throw conflict(crdResource, metadata.name ?? '', why);
  }
}

const propagation = ['orphan', 'foregroundDeletion'];

/** Marks a CRD for deletion; it is removed when its objects are gone. Unlike other kinds, its generation does not change. */
function beginDelete(crd: Crd, now: number): boolean {
  const { metadata } = crd;
  if (metadata.deletionTimestamp !== undefined) {
    // The first DELETE sets no grace period; a further DELETE works as for other kinds.
    metadata.deletionGracePeriodSeconds ??= 0;
    return false;
  }
  metadata.deletionTimestamp = formatTime(now);
  // The propagation policy does not apply: the dependents of a CRD are its objects.
  const finalizers = (metadata.finalizers ?? []).filter((name) => !propagation.includes(name));
  metadata.finalizers = finalizers.includes(cleanupFinalizer)
    ? finalizers
    : [...finalizers, cleanupFinalizer];
  setCondition(
    crd,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  );
  return true;
}
