import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { UserInfo } from '@annex/auth';
import { type JsonObject, exceedsDepth, isObject, parseJson } from '@annex/machinery';
import type { FetchRemote, Registration, RemoteResponse } from './sources.ts';

/**
 * Maximum bytes of a discovery or OpenAPI document of an extension server, decompressed. kube-apiserver has no limit; its version 2
 * document with all built-in kinds has 4 MiB.
 */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** A request to an extension server. */
export interface Question {
  path: string;
  user: UserInfo;
  accept?: string;
  /** The ETag of the known document. */
  etag?: string | undefined;
  timeoutMs: number;
}

/** Sends a request to an extension server, which may compress its response. Throws if the response exceeds the timeout or size. */
export async function ask<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  { path, user, accept, etag, timeoutMs }: Question,
): Promise<RemoteResponse> {
  const headers = {
    'accept-encoding': 'gzip',
    ...(accept === undefined ? {} : { accept }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  };
  const response = await fetch(registration, { path, user, headers, timeoutMs, maxBytes: maxDocumentBytes });
  if (response.headers['content-encoding'] !== 'gzip') return response;
  return { ...response, body: await promisify(gunzip)(response.body, { maxOutputLength: maxDocumentBytes }) };
}

/** Returns the object in a response. Throws if the body is not an object. */
export function objectIn({ body }: RemoteResponse): JsonObject {
  const text = body.toString();
  if (exceedsDepth(text)) throw new Error('the extension server sent a document that exceeds the max depth');
  const value = parseJson(text);
  if (!isObject(value)) throw new Error('the response of the extension server is not an object');
  return value;
}
