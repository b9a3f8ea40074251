import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { UserInfo } from '@annex/auth';
import { type JsonObject, isObject, parseJson } from '@annex/machinery';
import type { FetchRemote, Registration, RemoteAnswer } from './sources.ts';

const maxBytes = 16 * 1024 * 1024;

/** A question to an extension server. */
export interface Question {
  path: string;
  user: UserInfo;
  accept?: string;
  /** What is known already. */
  etag?: string | undefined;
  timeoutMs: number;
}

/** Asks an extension server, which may compress its answer. Throws where it does not answer in time and size. */
export async function ask<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  { path, user, accept, etag, timeoutMs }: Question,
): Promise<RemoteAnswer> {
  const headers = {
    'accept-encoding': 'gzip',
    ...(accept === undefined ? {} : { accept }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  };
  const answer = await fetch(registration, { path, user, headers, timeoutMs, maxBytes });
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  return { ...answer, body: await promisify(gunzip)(answer.body, { maxOutputLength: maxBytes }) };
}

/** The object that an extension server answered with. Throws where it is none. */
export function objectIn({ body }: RemoteAnswer): JsonObject {
  const value = parseJson(body.toString());
  if (!isObject(value)) throw new Error('the extension server did not answer with an object');
  return value;
}
