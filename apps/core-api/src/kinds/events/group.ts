import { newerEvents } from './events/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';
import type { CoreKindsConfig } from '../config.ts';

/** The kinds of `events.k8s.io`. */
export const eventsGroup = ({ eventTtlSeconds }: CoreKindsConfig): readonly BuiltinKind[] => [
  newerEvents(eventTtlSeconds),
];
