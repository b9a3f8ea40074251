import { goQuote, isObject, parseJson, type Status, StatusError, type StatusReason } from '@annex/machinery';
import type { ClientAnswer } from './client.ts';

/** As much as client-go quotes of an answer that it does not understand. */
export const maxClientErrorText = 2048;

/** What an answer without a Status means, by its code, in the words of client-go; `said` is what the server wrote. */
const meanings: Readonly<Record<number, [StatusReason, (said: string) => string]>> = {
  400: ['BadRequest', () => 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', () => 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', (said) => said],
  404: ['NotFound', () => 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', () => 'the server does not allow this method on the requested resource'],
  406: [
    'NotAcceptable',
    (said) =>
      said === 'unknown' || said === ''
        ? 'the server was unable to respond with a content type that the client supports'
        : said,
  ],
  409: ['Conflict', () => 'the server reported a conflict'],
  415: ['UnsupportedMediaType', (said) => said],
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

/** The Status of an answer that is no success; made up as by client-go where the server sent none. */
export function answerError({ status: code, headers, body }: ClientAnswer, method = 'GET'): StatusError {
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
  const said = isText(headers['content-type']) ? text.slice(0, maxClientErrorText).trim() : 'unknown';
  const [reason, message] = meaning(code, said);
  const isTaken = reason === 'Conflict' && method === 'POST';
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason ? { reason: isTaken ? 'AlreadyExists' : reason } : {}),
    details: { causes: [{ reason: 'UnexpectedServerResponse', message: said }], ...wait },
    code,
  });
}

function meaning(code: number, said: string): [StatusReason | undefined, string] {
  const known = meanings[code];
  if (known !== undefined) return [known[0], known[1](said)];
  if (code < 500)
    return [
      undefined,
      `the server responded with the status code ${code} but did not return more information`,
    ];
  return [
    'InternalError',
    `an error on the server (${goQuote(said)}) has prevented the request from succeeding`,
  ];
}

/** Source: RFC 9110, section 10.2.3; dates are not read, as by client-go. */
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
