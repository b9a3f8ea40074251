import type { Metrics } from '@annex/runtime';
import type { PacketObserver, PacketReceiver } from '../grpc/packet-stream.ts';
import { codeName, grpcStatus, statusOf } from '../grpc/status.ts';
import type { ReceivedPacket } from '../packet/packet.ts';

/** The program that counts, and the two directions of its streams. */
export interface StreamSegments {
  program: 'server' | 'agent' | 'client';
  sent: 'from_client' | 'to_client' | 'from_agent' | 'to_agent';
  received: 'from_client' | 'to_client' | 'from_agent' | 'to_agent';
}

/** Counts the packets and the errors of streams. */
export interface StreamCounts extends PacketObserver {
  /** Returns a receiver that counts what it receives. */
  counted(receiver: PacketReceiver): PacketReceiver;
}

/** Registers apiserver-network-proxy's counters of streams. */
export function streamCounts(metrics: Metrics, { program, sent, received }: StreamSegments): StreamCounts {
  const prefix = `konnectivity_network_proxy_${program}_stream`;
  // As grpc-go reports a connection that is gone.
  const lost = program === 'server' ? grpcStatus.CANCELLED : grpcStatus.UNAVAILABLE;
  const packets = metrics.counter(`${prefix}_packets_total`, 'Packets of streams.', [
    'segment',
    'packet_type',
  ]);
  const errors = metrics.counter(`${prefix}_errors_total`, 'Streams that ended with an error.', [
    'segment',
    'code',
    'packet_type',
  ]);
  const seriesOf = (segment: string) => {
    const series = new Map<string, { inc(): void }>();
    return (type: ReceivedPacket['type']) => {
      let found = series.get(type);
      if (found === undefined) series.set(type, (found = packets.with({ segment, packet_type: type })));
      found.inc();
    };
  };
  const countReceived = seriesOf(received);
  return {
    sent: seriesOf(sent),
    counted: (receiver) => ({
      packet(packet) {
        countReceived(packet.type);
        receiver.packet(packet);
      },
      ended: () => receiver.ended?.(),
      closed(error, isEnded) {
        const code = error === undefined ? lost : statusOf(error, lost).code;
        if (error !== undefined || !isEnded)
          errors.inc({ segment: received, code: codeName(code), packet_type: 'Unknown' });
        receiver.closed(error, isEnded);
      },
    }),
  };
}
