import type { MessagePort } from 'node:worker_threads';
import { type PlainError, plainError, storeError } from '../plain-error.ts';
import { type Store, type StoreCapabilities, StoreError, type WatchBatch } from '../store.ts';

/** What another thread needs to open a store of this thread; a message or `workerData` with it transfers the port. */
export interface StoreConnection {
  port: MessagePort;
  /** The current revision, {@link closedRevision} after the store is closed, and the one before which history is removed: 64-bit integers. */
  revisions: SharedArrayBuffer;
  capabilities: StoreCapabilities;
}

/** The value of the shared revision after the store is closed. */
export const closedRevision = -1n;

/** The methods that are called by messages. */
export type StoreMethod = 'get' | 'list' | 'create' | 'createAll' | 'update' | 'delete' | 'compact';

/** A call of a method. */
export interface StoreCall<M extends StoreMethod = StoreMethod> {
  kind: 'call';
  id: number;
  method: M;
  args: Parameters<NonNullable<Store[M]>>;
}

/** Messages to the thread of the store. Identifiers are chosen by the sender. */
export type StoreRequest =
  | StoreCall
  | { kind: 'watch'; id: number; prefix: string; fromRevision: number; progress: boolean }
  /** More batches of a watch may be sent. */
  | { kind: 'more'; id: number; batches: number }
  | { kind: 'cancel'; id: number };

/** Messages from the thread of the store. */
export type StoreReply =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'error'; id: number; error: PlainError | string }
  | { kind: 'batch'; id: number; batch: WatchBatch }
  | { kind: 'ended'; id: number; error: PlainError | string };

/** Batches of a watch that the other thread has not processed yet: a thread that is stuck costs at most their memory. */
export const maxUnreadBatches = 8;

/** Returns an error as part of a message. */
export const errorInMessage = (error: unknown): PlainError | string =>
  error instanceof StoreError ? plainError(error) : String(error);

/** Returns the error of a message. */
export const errorOfMessage = (error: PlainError | string): Error =>
  typeof error === 'string' ? new Error(error) : storeError(error);
