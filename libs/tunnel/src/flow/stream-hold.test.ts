import { expect, onTestFinished, test, vi } from 'vitest';
import type { PacketStream } from '../grpc/packet-stream.ts';
import { type Queue, stalledQueueTimeoutMs, StreamHold } from './stream-hold.ts';

/** A stream that records whether it is read. */
function heldStream() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const state = { isRead: true };
  const packets = { pause: () => void (state.isRead = false), resume: () => void (state.isRead = true) };
  return { state, hold: new StreamHold(packets as PacketStream) };
}

/** A queue whose bytes a test takes. */
function queueOf(bytes: number) {
  let drained = () => {};
  const queue: Queue & { unsentBytes: number } = {
    unsentBytes: bytes,
    whenDrained: (callback) => void (drained = callback),
  };
  return { queue, drain: () => drained() };
}

test('a stream is not read until the queues that hold it are drained', () => {
  const { hold, state } = heldStream();
  const [one, other] = [queueOf(10), queueOf(10)];
  for (const { queue } of [one, other]) hold.hold(queue, () => expect.unreachable());
  expect(state.isRead).toBe(false);
  one.drain();
  expect(state.isRead).toBe(false);
  other.drain();
  expect(state.isRead).toBe(true);
});

test('a queue from which nothing is taken for stalledQueueTimeoutMs is reported', () => {
  const { hold, state } = heldStream();
  const { queue } = queueOf(10);
  const stalled = vi.fn();
  hold.hold(queue, stalled);
  vi.advanceTimersByTime(stalledQueueTimeoutMs - 1);
  expect(stalled).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(stalled).toHaveBeenCalledOnce();
  hold.release(queue);
  expect(state.isRead).toBe(true);
});

test('a queue from which something is taken at every turn is not reported', () => {
  const { hold } = heldStream();
  const { queue } = queueOf(10);
  hold.hold(queue, () => expect.unreachable());
  for (; queue.unsentBytes > 0; queue.unsentBytes--) vi.advanceTimersByTime(stalledQueueTimeoutMs - 1);
});
