import type { Client } from '@annex/client';
import type { Clock } from '@annex/runtime';
import type { AuditEvent } from './audit-event.ts';
import { sizeOf } from './sinks.ts';

/** Options of {@link eventListSender}. */
export interface WebhookOptions {
  client: Pick<Client, 'send'>;
  clock: Clock;
  initialBackoffMs: number;
  /** Larger lists are split; absent for any size. */
  maxBatchBytes?: number;
  /** Aborts when the process stops: then each list gets one more attempt, at once. Timers would not keep the process running. */
  stopping?: AbortSignal;
}

const attempts = 5;
/** Timeout of one attempt to send events, in milliseconds. Source: kube-apiserver. */
export const auditWebhookTimeoutMs = 30_000;
/** Milliseconds after the beginning of a stop until attempts are given up, before the deadline of a stop. */
export const auditStopTimeoutMs = 5_000;
/** The maximum bytes of the response to events that are read. */
export const maxAuditResponseBytes = 1024 * 1024;
// Only a query: the kubeconfig contains the URL of the webhook.
const path = `?timeout=${auditWebhookTimeoutMs / 1000}s`;
const headers = { accept: 'application/json, */*' };
const request = {
  method: 'POST',
  path,
  headers,
  timeoutMs: auditWebhookTimeoutMs,
  maxBytes: maxAuditResponseBytes,
};

/**
 * Sends events as an `audit.k8s.io/v1` EventList, and retries for a while. Throws if the last attempt fails.
 */
export function eventListSender(options: WebhookOptions): (events: readonly AuditEvent[]) => Promise<void> {
  const { clock, maxBatchBytes = Infinity, stopping } = options;
  const ending = new AbortController();
  const giveUp = () => ending.abort(new Error('the process stops'));
  stopping?.addEventListener('abort', () => clock.setTimeout(giveUp, auditStopTimeoutMs), { once: true });
  return async (events) => {
    for (const list of split(events, maxBatchBytes)) await sendList(options, list, ending.signal);
  };
}

async function sendList(
  options: WebhookOptions,
  events: readonly AuditEvent[],
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, initialBackoffMs, stopping } = options;
  const items = events.map((event) => event.itemJson()).join(',');
  const text = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}\n`;
  const body = Buffer.from(text);
  for (let attempt = 1; ; attempt++) {
    try {
      const { status } = await client.send({ ...request, body, signal });
      if (status >= 200 && status < 300) return;
      throw new Error(`the webhook responded ${status}`);
    } catch (error) {
      if (attempt === attempts || stopping?.aborted) throw error;
      await clock.sleep(initialBackoffMs * 1.5 ** (attempt - 1), stopping).catch(ignored);
    }
  }
}

const ignored = (): void => undefined;

function split(events: readonly AuditEvent[], maxBytes: number): AuditEvent[][] {
  const lists: AuditEvent[][] = [];
  let size = 0;
  for (const event of events) {
    const bytes = sizeOf(event);
    if (lists.length === 0 || size + bytes > maxBytes) {
      lists.push([]);
      size = 0;
    }
    (lists.at(-1) as AuditEvent[]).push(event);
    size += bytes;
  }
  return lists;
}
