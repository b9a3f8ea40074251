import { Buffer } from 'node:buffer';
import { badRequest } from '@annex/machinery';

/** Where the next page of a list starts: at which revision and after which key. Opaque to clients. */
export interface ContinueToken {
  revision: number;
  startKey: string;
}

/** The token in the form of kube's: URL-safe base64 of JSON. `key` is relative to the prefix of the list. */
export function encodeContinue(token: ContinueToken, prefix: string): string {
  const body = { v: 'meta.k8s.io/v1', rv: token.revision, start: token.startKey.slice(prefix.length) };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

/** Reads a token. Throws 400 with kube's texts; a token can never lead out of the prefix. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest('continue key is not valid: illegal base64 data or JSON');
  }
  const { v, rv, start } = (body ?? {}) as Record<string, unknown>;
  if (v !== 'meta.k8s.io/v1')
    throw badRequest('continue key is not valid: server does not recognize this encoded version');
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv < 1) {
    throw badRequest(
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  if (typeof start !== 'string' || start === '') {
    throw badRequest('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  }
  if (start.split('/').includes('..')) throw badRequest(`continue key is not valid: ${start}`);
  return { revision: rv, startKey: prefix + start };
}
