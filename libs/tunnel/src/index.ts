export { TunnelDialError, type TunnelDialFailure } from './client/dial-error.ts';
export { TunnelDialer, type TunnelDialerOptions } from './client/tunnel-dialer.ts';
export { corkForTurn } from './flow/cork-for-turn.ts';
export { maxQueuedBytes, type Queue, StreamHold } from './flow/stream-hold.ts';
export { ReceiveWindow, SendWindow } from './flow/windows.ts';
export { acceptStream, isGone, refuseStream } from './grpc/accept-stream.ts';
export { announceExtensions, type Extension, readExtensions } from './grpc/extensions.ts';
export { KeepAlive, type KeepAliveTimes } from './grpc/keep-alive.ts';
export { type OpenedStream, openStream } from './grpc/open-stream.ts';
export { type PacketReceiver, PacketStream } from './grpc/packet-stream.ts';
export { connectSession } from './grpc/sessions.ts';
export { callTimeoutMs } from './grpc/request-head.ts';
export { createStreamServer } from './grpc/stream-server.ts';
export { GrpcError, grpcStatus } from './grpc/status.ts';
export {
  initialWindowBytes,
  maxSentDataBytes,
  maxUnreadClientBytes,
  streamEndTimeoutMs,
  streamWindowBytes,
} from './limits.ts';
export type { Packet, PacketOf, PacketType, ReceivedPacket } from './packet/packet.ts';
export { PacketError } from './packet/wire.ts';
export { tuneHeapGrowth } from './program/heap-growth.ts';
export { leaseLabelProblems, parseLeaseLabels } from './program/lease-labels.ts';
export {
  type LeaseConfig,
  leaseOptions,
  type MonitorConfig,
  monitorOptions,
  type PeerConfig,
  peerOptions,
} from './program/program-options.ts';
export { queryProblem } from './program/query-problem.ts';
export { type StreamCounts, streamCounts } from './program/stream-counts.ts';
export { acceptedFlag, upstreamFlags } from './program/upstream-flags.ts';
