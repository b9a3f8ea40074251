import type { KubeObject, Passes } from '@annex/machinery';
import { asJson, type StorageKind } from '../resource-kind.ts';
import { autoscalersStorage } from './autoscalers/autoscalers.ts';
import { eventsStorage } from './events.ts';
import { dropZeros } from './zeros.ts';

/**
 * Brings a converted object into the form of the Go type of a protobuf message, because zero values differ
 * between types.
 */
function inFormOf(message: string, object: KubeObject): KubeObject {
  dropZeros(asJson(object), message);
  return object;
}

type Conversion = (object: KubeObject) => KubeObject;
type Conversions = Required<StorageKind>['inPasses'];

function* inFormInPasses(message: string, conversion: Passes<KubeObject>): Passes<KubeObject> {
  const object = yield* conversion;
  yield;
  return inFormOf(message, object);
}

/** A storage with synchronous conversions. */
type SyncStorage = Omit<StorageKind, 'fromStored' | 'toStored'> & {
  fromStored: Conversion;
  toStored: Conversion;
};

const between = ({ inPasses, ...storage }: SyncStorage, shown: string, stored: string): StorageKind => ({
  ...storage,
  fromStored: (object) => inFormOf(shown, storage.fromStored(object)),
  toStored: (object) => inFormOf(stored, storage.toStored(object)),
  ...(inPasses !== undefined && { inPasses: conversionsBetween(inPasses, shown, stored) }),
});

const conversionsBetween = (inPasses: Conversions, shown: string, stored: string): Conversions => ({
  fromStored: (object) => inFormInPasses(shown, inPasses.fromStored(object)),
  toStored: (object) => inFormInPasses(stored, inPasses.toStored(object)),
});

/** Kinds that are stored as another kind, by `apiVersion/resource`. */
export const cohabitants: Readonly<Record<string, StorageKind>> = {
  'events.k8s.io/v1/events': between(eventsStorage, 'k8s.io.api.events.v1.Event', 'k8s.io.api.core.v1.Event'),
  'autoscaling/v1/horizontalpodautoscalers': between(
    autoscalersStorage,
    'k8s.io.api.autoscaling.v1.HorizontalPodAutoscaler',
    'k8s.io.api.autoscaling.v2.HorizontalPodAutoscaler',
  ),
};
