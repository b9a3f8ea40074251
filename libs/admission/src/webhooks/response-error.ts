import type { Buffer } from 'node:buffer';
import { isObject, parseJson } from '@annex/machinery';

/** Characters of a response that an error quotes. Source: client-go. */
export const maxWebhookErrorText = 2048;

/** An error status of a webhook. */
export class ResponseError extends Error {}

// The messages of Go's client for status codes if it cannot read the body.
const meanings: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Returns the error message of Go's client for a response; `undefined` for success. */
export function responseError(code: number, contentType = '', body: Buffer): ResponseError | undefined {
  if (code >= 200 && code <= 206) return emptyResponse(code, contentType, body);
  return new ResponseError(statusMessage(body) ?? meanings[code] ?? unknown(code, contentType, body));
}

function emptyResponse(code: number, contentType: string, body: Buffer): ResponseError | undefined {
  if (body.length > 0) return undefined;
  return new ResponseError(
    `0-length response with status code: ${code} and content type: ${contentType || 'application/json'}`,
  );
}

function unknown(code: number, contentType: string, body: Buffer): string {
  const said = contentType.startsWith('text/') ? body.toString('utf8', 0, maxWebhookErrorText).trim() : '';
  const text = said === '' ? 'unknown' : said;
  if (code === 403 || code === 415) return text;
  if (code >= 500)
    return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}

/** Returns the message of a Status. */
function statusMessage(body: Buffer): string | undefined {
  if (body[0] !== 0x7b) return undefined;
  try {
    const response = parseJson(body.toString());
    if (!isObject(response) || response.kind !== 'Status' || response.apiVersion !== 'v1') return undefined;
    return typeof response.message === 'string' ? response.message : 'unknown';
  } catch {
    return undefined;
  }
}
