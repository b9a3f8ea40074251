export {
  type DeleteResult,
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  type NewEntry,
  type Store,
  type StoreCapabilities,
  StoreError,
  type StoreErrorCode,
  type StoreEvent,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from './store.ts';
export type {
  CacheEntry,
  CacheEvent,
  CacheListener,
  CacheUsage,
  DecodeEntry,
  WatchCache,
} from './cache-types.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
export type { HistoryOptions } from './auto-compaction.ts';
export { createFeed, type Feed, type FeedOptions } from './feed/feed.ts';
export type { EventHistoryOptions } from './feed/event-history.ts';
export type { AtRevision } from './feed/watch-cache.ts';
export { noteWritten, StoredObject, withResourceVersion } from './feed/stored-object.ts';
export { dataDirError, openDataDir } from './lmdb/open-data-dir.ts';
export { openStoreImage, restoreStore } from './lmdb/open-lmdb-store.ts';
export type { ImageEntry, StoreImage } from './lmdb/lmdb-image.ts';
export type { Restored, RestoreSource } from './lmdb/lmdb-restore.ts';
export { createMissing } from './create-missing.ts';
export { prefixedStore } from './prefixed-store.ts';
export { type StoreTransformation, transformedStore } from './transformed-store.ts';
export { type EncryptionModule, loadEncryption } from './encryption/load-encryption.ts';
export type { PrefixedTransformer, Transformer } from './encryption/transformer.ts';
export type { StoreConnection } from './threads/protocol.ts';
export { loadThreadStores, type ThreadStoreModule } from './threads/load-thread-stores.ts';
export { createEtcdStore } from './etcd/create-etcd-store.ts';
export type { EtcdClientOptions } from './etcd/client.ts';
export type { EtcdStoreOptions } from './etcd/etcd-store.ts';
export { type RunningEtcdServer, startEtcdServer } from './etcd/start-etcd-server.ts';
export { etcdVersion } from './etcd/etcd-version.ts';
export type { EtcdServerOptions } from './etcd/etcd-server.ts';
