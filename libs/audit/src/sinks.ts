import type { AuditEvent, AuditSink } from './audit-event.ts';

/** Passes every event to all sinks. */
export const allSinks = (sinks: readonly AuditSink[]): AuditSink => ({
  write(event) {
    const written = sinks.map((sink) => sink.write(event));
    if (!written.some((one) => one instanceof Promise)) return written.every(Boolean);
    return Promise.all(written).then((all) => all.every(Boolean));
  },
  close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
});

/** Wraps a sink whose lost events do not fail the request. */
export const ignoreLosses = (sink: AuditSink): AuditSink => ({
  write(event) {
    const written = sink.write(event);
    return written instanceof Promise ? written.then(() => true) : true;
  },
  close: () => sink.close(),
});

/**
 * Removes request and response objects from events that are too large. Events that are still too large are
 * lost.
 */
export const truncating = (sink: AuditSink, maxBytes: number, onLost: () => void): AuditSink => ({
  write(event) {
    if (sizeOf(event) <= maxBytes) return sink.write(event);
    const short = event.truncated();
    if (sizeOf(short) <= maxBytes) return sink.write(short);
    onLost();
    return false;
  },
  close: () => sink.close(),
});

export const sizeOf = (event: AuditEvent): number => Buffer.byteLength(event.json());

/** What lines are written to. */
export interface LineOutput {
  /** Throws, or rejects, if the line is lost. */
  write(line: string): void | Promise<void>;
  close(): Promise<void>;
}

/** Writes each event as a line; if `write` fails, the event is lost. */
export const lineSink = (
  output: LineOutput,
  lineOf: (event: AuditEvent) => string,
  onLost: (error: unknown) => void,
): AuditSink => {
  const lost = (error: unknown) => {
    onLost(error);
    return false;
  };
  return {
    write(event) {
      try {
        const written = output.write(`${lineOf(event)}\n`);
        return written === undefined ? true : written.then(() => true, lost);
      } catch (error) {
        return lost(error);
      }
    },
    close: () => output.close(),
  };
};

/** Sends each event separately while its request waits. */
export function sending(
  send: (events: readonly AuditEvent[]) => Promise<void>,
  onLost: (error: unknown) => void,
): AuditSink {
  const underWay = new Set<Promise<boolean>>();
  return {
    write(event) {
      const sent = send([event]).then(
        () => true,
        (error: unknown) => {
          onLost(error);
          return false;
        },
      );
      underWay.add(sent);
      return sent.finally(() => underWay.delete(sent));
    },
    close: async () => void (await Promise.all(underWay)),
  };
}
