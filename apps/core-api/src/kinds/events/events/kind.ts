import { nameIsDnsSubdomain } from '@annex/machinery';
import { eventColumns } from '../../core/events/columns.ts';
import { defaultEventTtlSeconds } from '../../core/events/kind.ts';
import { eventSelectors } from '../../core/events/selectable-fields.ts';
import { eventStrategy } from '../../core/events/strategy.ts';
import { validateEventUpdate, validateNewEvent } from './validation.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

/** Returns the events of the core group under other field names; both groups share their storage. */
export const newerEvents = (ttlSeconds = defaultEventTtlSeconds): BuiltinKind => ({
  group: 'events.k8s.io',
  resource: 'events',
  defaults: {
    'io.k8s.api.events.v1.Event': {
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      eventTime: null,
    },
  },
  validation: { create: validateNewEvent, update: validateEventUpdate },
  strategy: {
    ...eventStrategy,
    validateName: nameIsDnsSubdomain,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: false },
  },
  cells: eventColumns,
  selectableFields: eventSelectors('events.k8s.io'),
  storage: { ttlSeconds: () => ttlSeconds },
});
