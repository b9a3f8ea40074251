import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { UserInfo } from '@annex/auth';
import {
  finishInSlices,
  isObject,
  type JsonObject,
  limitExceededByTextInPasses,
  maxDepth,
  maxObjectMembers,
  parseJsonInPasses,
  type Passes,
} from '@annex/machinery';
import { createPacer } from '@annex/runtime';
import type { FetchRemote, Registration, RemoteResponse } from './sources.ts';

/**
 * Maximum bytes of a discovery or OpenAPI document of an extension server, decompressed. kube-apiserver has no limit; its version 2
 * document with all built-in kinds has 4 MiB.
 */
export const maxDocumentBytes = 8 * 1024 * 1024;

/** Maximum number of objects and lists of such a document. kube-apiserver has no limit. */
export const maxDocumentContainers = 200_000;

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

/** Finishes work on a document in time slices: nobody waits for it. */
export const inSlices = <T>(passes: Passes<T>): Promise<T> => finishInSlices(passes, createPacer());

/** Returns the object in a response, in slices. Throws if the body is not an object, or exceeds a limit. */
export async function objectIn({ body }: RemoteResponse): Promise<JsonObject> {
  const text = body.toString();
  const exceeded = await inSlices(limitExceededByTextInPasses(text, limits));
  if (exceeded !== undefined) throw new Error(`the extension server sent a document ${excesses[exceeded]}`);
  const value = await inSlices(parseJsonInPasses(text));
  if (!isObject(value)) throw new Error('the response of the extension server is not an object');
  return value;
}

const limits = { depth: maxDepth, containers: maxDocumentContainers, members: maxObjectMembers };
const excesses = {
  depth: 'that exceeds the max depth',
  containers: `with more than ${maxDocumentContainers} objects and lists`,
  members: `with more than ${maxObjectMembers} members of one object`,
};
