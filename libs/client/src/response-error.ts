import { goQuote, isObject, parseJson, type Status, StatusError, type StatusReason } from '@annex/machinery';
import type { ClientResponse } from './client-response.ts';

/** Characters of an unknown response that an error quotes. Source: client-go. */
export const maxClientErrorText = 2048;

/**
 * The reason and message of a response without a Status, by its code, as in client-go; `said` is the body.
 */
const meanings: Readonly<Record<number, [StatusReason, (detail: string) => string]>> = {
  400: ['BadRequest', () => 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', () => 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', (detail) => detail],
  404: ['NotFound', () => 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', () => 'the server does not allow this method on the requested resource'],
  406: [
    'NotAcceptable',
    (detail) =>
      detail === 'unknown' || detail === ''
        ? 'the server was unable to respond with a content type that the client supports'
        : detail,
  ],
  409: ['Conflict', () => 'the server reported a conflict'],
  415: ['UnsupportedMediaType', (detail) => detail],
  422: ['Invalid', () => 'the server rejected our request due to an error in our request'],
  429: [
    'TooManyRequests',
    () => 'the server has received too many requests and has asked us to try again later',
  ],
  503: ['ServiceUnavailable', () => 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    () =>
      'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/**
 * Returns the Status of an unsuccessful response; if the server sent none, the one that client-go would
 * create.
 */
export function responseError({ status: code, headers, body }: ClientResponse, method = 'GET'): StatusError {
  const text = body.toString();
  const sent = decodeStatus(text);
  const wait = secondsToWait(headers['retry-after']);
  if (sent !== undefined) {
    const details = { ...wait, ...sent.details };
    return new StatusError({
      ...sent,
      code: sent.code ?? code,
      ...(sent.details || wait ? { details } : {}),
    });
  }
  const detail = isText(headers['content-type']) ? text.slice(0, maxClientErrorText).trim() : 'unknown';
  const [reason, message] = meaning(code, detail);
  const isTaken = reason === 'Conflict' && method === 'POST';
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason ? { reason: isTaken ? 'AlreadyExists' : reason } : {}),
    details: { causes: [{ reason: 'UnexpectedServerResponse', message: detail }], ...wait },
    code,
  });
}

function meaning(code: number, detail: string): [StatusReason | undefined, string] {
  const known = meanings[code];
  if (known !== undefined) return [known[0], known[1](detail)];
  if (code < 500)
    return [
      undefined,
      `the server responded with the status code ${code} but did not return more information`,
    ];
  return [
    'InternalError',
    `an error on the server (${goQuote(detail)}) has prevented the request from succeeding`,
  ];
}

/** Source: RFC 9110, section 10.2.3; dates are not supported, as in client-go. */
const secondsToWait = (header: string | undefined): { retryAfterSeconds: number } | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header) ? { retryAfterSeconds: Number(header) } : undefined;

const isText = (contentType: string | undefined): boolean =>
  contentType === undefined || contentType.trim().toLowerCase().startsWith('text/');

function decodeStatus(text: string): Status | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && value.kind === 'Status' ? (value as unknown as Status) : undefined;
  } catch {
    return undefined;
  }
}
