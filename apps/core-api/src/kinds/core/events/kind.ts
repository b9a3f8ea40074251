import type { KubeObject } from '@annex/machinery';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { eventColumns } from './columns.ts';
import { eventSelectors } from './selectable-fields.ts';
import { eventStrategy } from './strategy.ts';
import { validateEvent } from './validation.ts';

/** The number of seconds after which events expire by default. */
export const defaultEventTtlSeconds = 3600;

export const events = (ttlSeconds = defaultEventTtlSeconds): BuiltinKind => ({
  group: '',
  resource: 'events',
  defaults: {
    'io.k8s.api.core.v1.Event': { eventTime: null, firstTimestamp: null, lastTimestamp: null },
    'io.k8s.api.core.v1.EventSeries': { lastObservedTime: null },
  },
  validation: { object: (event) => validateEvent(event as KubeObject) },
  strategy: eventStrategy,
  cells: eventColumns,
  selectableFields: eventSelectors(''),
  storage: { ttlSeconds: () => ttlSeconds },
});
