export {
  type DeleteResult,
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  type Store,
  type StoreCapabilities,
  StoreError,
  type StoreErrorCode,
  type StoreEvent,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from './store.ts';
export type { CacheEntry, CacheEvent, CacheListener, DecodeEntry, WatchCache } from './cache-types.ts';
