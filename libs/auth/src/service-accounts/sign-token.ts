import { sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from './token-keys.ts';

const signAsync = promisify(sign);

/**
 * Returns a signed JWT (RFC 7515, compact). `jose` copies and encodes claims in steps that hold the event loop for tens of milliseconds
 * if there are many audiences; the signature is made by a thread of libuv.
 */
export async function signToken(claims: object, { algorithm, id, key }: SigningKey): Promise<string> {
  const signed = `${encoded({ alg: algorithm, kid: id })}.${encoded(claims)}`;
  const hash = `sha${algorithm.slice(-3)}`;
  const signature = await signAsync(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
