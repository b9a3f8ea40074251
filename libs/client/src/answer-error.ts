import {
  type Status,
  StatusError,
  type StatusReason,
  isObject,
  parseJson,
  statusReasons,
} from '@annex/machinery';
import type { ClientAnswer } from './client.ts';

/** The Status of an answer that is no success; made up from code and text where the server sent none. */
export function answerError({ status: code, body }: ClientAnswer): StatusError {
  const text = body.toString();
  const sent = decodeStatus(text);
  if (sent !== undefined) return new StatusError({ ...sent, code: sent.code ?? code });
  const reason = (Object.keys(statusReasons) as StatusReason[]).find((name) => statusReasons[name] === code);
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text.trim() || `the server answered ${code}`,
    ...(reason ? { reason } : {}),
    code,
  });
}

function decodeStatus(text: string): Status | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && value.kind === 'Status' ? (value as unknown as Status) : undefined;
  } catch {
    return undefined;
  }
}
