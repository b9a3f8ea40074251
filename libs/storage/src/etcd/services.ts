import type { ServiceDefinition } from '@grpc/grpc-js';
import { codec } from './codec.ts';
import type { MessageName } from './messages.ts';

type Method = readonly [request: MessageName, response: MessageName, kind: 'unary' | 'stream'];

/** The supported services and methods of etcd; a server responds UNIMPLEMENTED to all others. */
export const serviceTable = {
  KV: {
    Range: ['RangeRequest', 'RangeResponse', 'unary'],
    Put: ['PutRequest', 'PutResponse', 'unary'],
    DeleteRange: ['DeleteRangeRequest', 'DeleteRangeResponse', 'unary'],
    Txn: ['TxnRequest', 'TxnResponse', 'unary'],
    Compact: ['CompactionRequest', 'CompactionResponse', 'unary'],
  },
  Watch: { Watch: ['WatchRequest', 'WatchResponse', 'stream'] },
  Lease: {
    LeaseGrant: ['LeaseGrantRequest', 'LeaseGrantResponse', 'unary'],
    LeaseRevoke: ['LeaseRevokeRequest', 'LeaseRevokeResponse', 'unary'],
    LeaseTimeToLive: ['LeaseTimeToLiveRequest', 'LeaseTimeToLiveResponse', 'unary'],
  },
  Maintenance: {
    Status: ['StatusRequest', 'StatusResponse', 'unary'],
    Alarm: ['AlarmRequest', 'AlarmResponse', 'unary'],
  },
  Cluster: { MemberList: ['MemberListRequest', 'MemberListResponse', 'unary'] },
} as const satisfies Record<string, Record<string, Method>>;

type Services = typeof serviceTable;

/** The name of a service. */
export type ServiceName = keyof Services;
/** The messages of a method. */
export type RequestOf<S extends ServiceName, M extends keyof Services[S]> = Services[S][M] extends Method
  ? Services[S][M][0]
  : never;
export type TestResponse<S extends ServiceName, M extends keyof Services[S]> = Services[S][M] extends Method
  ? Services[S][M][1]
  : never;

/** Declares a service for servers and clients of grpc-js. */
export function serviceDefinition(service: ServiceName): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(serviceTable[service] as Record<string, Method>).map(
      ([name, [request, response, kind]]) => {
        const requests = codec(request);
        const responses = codec(response);
        const method = {
          path: `/etcdserverpb.${service}/${name}`,
          requestStream: kind === 'stream',
          responseStream: kind === 'stream',
          requestSerialize: requests.encode,
          requestDeserialize: requests.decode,
          // A long response is encoded already.
          responseSerialize: (message: object) =>
            Buffer.isBuffer(message) ? message : responses.encode(message),
          responseDeserialize: responses.decode,
        };
        return [name, method];
      },
    ),
  );
}
