import type { Gauge } from '@annex/runtime';
import type { ServerDeps } from '../app.ts';
import type { AdmissionChain } from '../admission/chain.ts';
import type { RequestContext, ResourceKind, Subresource } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { StoredObjects } from '../stored-objects.ts';
import type { WriteContext } from '../write/context.ts';
import type { SentFields } from '../write/sent-fields.ts';

/** A request with its resolved kind and, if it names one, subresource. apiserver: `handlers.RequestScope`. */
export interface RequestScope {
  request: RequestContext;
  kind: ResourceKind;
  objects: StoredObjects;
  subresource?: { name: string; spec: Subresource } | undefined;
  server: ResourceServer;
}

/** State that the handlers of all kinds share. */
export interface ResourceServer {
  deps: ServerDeps;
  admission: AdmissionChain;
  write: (write: WriteContext) => Promise<void>;
  /** Records the field owners in the managedFields of an object that is returned without being stored. */
  trackFields: (write: WriteContext) => Promise<void>;
  /** The managedFields that `trackFields` computed for earlier objects. */
  sentFields: SentFields;
  writeSteps: readonly Step<WriteContext>[];
  watchers: WatcherLimits;
  /** The number of open watches. */
  running: Gauge<'verb' | 'group' | 'version' | 'resource'>;
}

/** The limits of a watch. */
export interface WatcherLimits {
  /** The maximum number of bytes that wait for a slow client; then the watch is closed. */
  maxBufferedBytes: number;
  /** Milliseconds between bookmarks, for clients that allow bookmarks. */
  bookmarkIntervalMs: number;
}
