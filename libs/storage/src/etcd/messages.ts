/**
 * The supported messages of the etcd v3 protocol: field → type and number. Numbers and types are those of
 * etcd's rpc.proto and kv.proto; `*` marks repeated fields, `?` members of a oneof. `id64` is an int64 that
 * may exceed a safe integer: a decimal string in a message, otherwise a number.
 */
export const messageTable = {
  ResponseHeader: { clusterId: 'uint64 1', memberId: 'uint64 2', revision: 'int64 3', raftTerm: 'uint64 4' },
  KeyValue: {
    key: 'bytes 1',
    createRevision: 'int64 2',
    modRevision: 'int64 3',
    version: 'int64 4',
    value: 'bytes 5',
    lease: 'int64 6',
  },
  Event: { type: 'int32 1', kv: 'KeyValue 2', prevKv: 'KeyValue 3' },
  RangeRequest: {
    key: 'bytes 1',
    rangeEnd: 'bytes 2',
    limit: 'int64 3',
    revision: 'int64 4',
    sortOrder: 'int32 5',
    sortTarget: 'int32 6',
    serializable: 'bool 7',
    keysOnly: 'bool 8',
    countOnly: 'bool 9',
    minModRevision: 'int64 10',
    maxModRevision: 'int64 11',
    minCreateRevision: 'int64 12',
    maxCreateRevision: 'int64 13',
  },
  RangeResponse: { header: 'ResponseHeader 1', kvs: 'KeyValue* 2', more: 'bool 3', count: 'int64 4' },
  PutRequest: {
    key: 'bytes 1',
    value: 'bytes 2',
    lease: 'id64 3',
    prevKv: 'bool 4',
    ignoreValue: 'bool 5',
    ignoreLease: 'bool 6',
  },
  PutResponse: { header: 'ResponseHeader 1', prevKv: 'KeyValue 2' },
  DeleteRangeRequest: { key: 'bytes 1', rangeEnd: 'bytes 2', prevKv: 'bool 3' },
  DeleteRangeResponse: { header: 'ResponseHeader 1', deleted: 'int64 2', prevKvs: 'KeyValue* 3' },
  RequestOp: {
    requestRange: 'RangeRequest? 1',
    requestPut: 'PutRequest? 2',
    requestDeleteRange: 'DeleteRangeRequest? 3',
    // Not supported, so not decoded: clients control its nesting depth.
    requestTxn: 'bytes? 4',
  },
  ResponseOp: {
    responseRange: 'RangeResponse? 1',
    responsePut: 'PutResponse? 2',
    responseDeleteRange: 'DeleteRangeResponse? 3',
  },
  Compare: {
    result: 'int32 1',
    target: 'int32 2',
    key: 'bytes 3',
    version: 'int64? 4',
    createRevision: 'int64? 5',
    modRevision: 'int64? 6',
    value: 'bytes? 7',
    lease: 'int64? 8',
    rangeEnd: 'bytes 64',
  },
  TxnRequest: { compare: 'Compare* 1', success: 'RequestOp* 2', failure: 'RequestOp* 3' },
  TxnResponse: { header: 'ResponseHeader 1', succeeded: 'bool 2', responses: 'ResponseOp* 3' },
  CompactionRequest: { revision: 'int64 1', physical: 'bool 2' },
  CompactionResponse: { header: 'ResponseHeader 1' },
  WatchRequest: {
    createRequest: 'WatchCreateRequest? 1',
    cancelRequest: 'WatchCancelRequest? 2',
    progressRequest: 'WatchProgressRequest? 3',
  },
  WatchCreateRequest: {
    key: 'bytes 1',
    rangeEnd: 'bytes 2',
    startRevision: 'int64 3',
    progressNotify: 'bool 4',
    filters: 'int32* 5',
    prevKv: 'bool 6',
    watchId: 'int64 7',
    fragment: 'bool 8',
  },
  WatchCancelRequest: { watchId: 'int64 1' },
  WatchProgressRequest: {},
  WatchResponse: {
    header: 'ResponseHeader 1',
    watchId: 'int64 2',
    created: 'bool 3',
    canceled: 'bool 4',
    compactRevision: 'int64 5',
    cancelReason: 'string 6',
    fragment: 'bool 7',
    events: 'Event* 11',
  },
  LeaseGrantRequest: { ttl: 'int64 1', id: 'id64 2' },
  LeaseGrantResponse: { header: 'ResponseHeader 1', id: 'id64 2', ttl: 'int64 3', error: 'string 4' },
  LeaseRevokeRequest: { id: 'id64 1' },
  LeaseRevokeResponse: { header: 'ResponseHeader 1' },
  LeaseTimeToLiveRequest: { id: 'id64 1', keys: 'bool 2' },
  LeaseTimeToLiveResponse: {
    header: 'ResponseHeader 1',
    id: 'id64 2',
    ttl: 'int64 3',
    grantedTtl: 'int64 4',
    keys: 'bytes* 5',
  },
  StatusRequest: {},
  StatusResponse: {
    header: 'ResponseHeader 1',
    version: 'string 2',
    dbSize: 'int64 3',
    leader: 'uint64 4',
    raftIndex: 'uint64 5',
    raftTerm: 'uint64 6',
    raftAppliedIndex: 'uint64 7',
    dbSizeInUse: 'int64 9',
  },
  AlarmRequest: { action: 'int32 1', memberId: 'uint64 2', alarm: 'int32 3' },
  AlarmResponse: { header: 'ResponseHeader 1' },
  MemberListRequest: { linearizable: 'bool 1' },
  MemberListResponse: { header: 'ResponseHeader 1', members: 'Member* 2' },
  Member: { id: 'uint64 1', name: 'string 2', peerUrls: 'string* 3', clientUrls: 'string* 4' },
} as const;

type Table = typeof messageTable;

/** The name of a message. */
export type MessageName = keyof Table;

type Scalar<T extends string> = T extends 'bytes'
  ? Uint8Array
  : T extends 'string'
    ? string
    : T extends 'bool'
      ? boolean
      : T extends 'id64'
        ? number | string
        : T extends MessageName
          ? Message<T>
          : number;

type FieldValue<S extends string> = S extends `${infer T}* ${string}`
  ? Scalar<T>[]
  : S extends `${infer T}? ${string}`
    ? Scalar<T> | undefined
    : S extends `${infer T} ${string}`
      ? T extends MessageName
        ? Message<T> | undefined
        : Scalar<T>
      : never;

/** A received message: every field is present, `undefined` for absent messages and oneof members. */
export type Message<N extends MessageName> = {
  -readonly [F in keyof Table[N]]: FieldValue<Table[N][F] & string>;
};

/** A message that is encoded already. */
type Encoded = Uint8Array;
type Part<T> = T extends Uint8Array
  ? T
  : T extends (infer U)[]
    ? Part<U>[]
    : T extends object
      ? Draft<T> | Encoded
      : T;
type Draft<T> = { -readonly [F in keyof T]?: Part<T[F]> | undefined };

/** A message to send: absent fields are zero. */
export type MessageDraft<N extends MessageName> = Draft<Message<N>>;
