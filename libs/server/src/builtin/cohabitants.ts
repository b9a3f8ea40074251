import { eventsStorage } from './events.ts';
import { autoscalersStorage } from './autoscalers.ts';
import type { StorageKind } from '../resource-kind.ts';

/** Kinds that are stored as another kind, by `apiVersion/resource`. */
export const cohabitants: Readonly<Record<string, StorageKind>> = {
  'events.k8s.io/v1/events': eventsStorage,
  'autoscaling/v1/horizontalpodautoscalers': autoscalersStorage,
};
