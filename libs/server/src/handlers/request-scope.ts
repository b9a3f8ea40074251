import type { Gauge } from '@annex/runtime';
import type { ServerDeps } from '../app.ts';
import type { AdmissionChain } from '../admission/chain.ts';
import type { RequestContext, ResourceKind, Subresource } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { StoredObjects } from '../stored-objects.ts';
import type { WriteContext } from '../write/context.ts';
import type { SentFields } from '../write/sent-fields.ts';

/** A request whose kind, and subresource where it names one, was found. apiserver: `handlers.RequestScope`. */
export interface RequestScope {
  request: RequestContext;
  kind: ResourceKind;
  objects: StoredObjects;
  subresource?: { name: string; spec: Subresource } | undefined;
  server: ResourceServer;
}

/** What the handlers of all kinds share. */
export interface ResourceServer {
  deps: ServerDeps;
  admission: AdmissionChain;
  write: (write: WriteContext) => Promise<void>;
  /** Notes in the managedFields of an object that is answered, and not stored, who sent what. */
  trackFields: (write: WriteContext) => Promise<void>;
  /** What that said of those before. */
  sentFields: SentFields;
  writeSteps: readonly Step<WriteContext>[];
  watchers: WatcherLimits;
  /** How many watches are open. */
  running: Gauge<'verb' | 'group' | 'version' | 'resource'>;
}

/** What a watch may take. */
export interface WatcherLimits {
  /** Bytes that may wait for a client that does not read; past it the watch is cut off. */
  maxBufferedBytes: number;
  /** How often a bookmark is sent to those who allow it, in milliseconds. */
  bookmarkIntervalMs: number;
}
