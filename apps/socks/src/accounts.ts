import { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The protocol has one byte for the length of each. */
export const maxCredentialBytes = 255;

/** A user has no colon; both parts have 1 to 255 bytes. */
function isAccount(line: string): boolean {
  const colon = line.indexOf(':');
  const lengths = [line.slice(0, Math.max(colon, 0)), line.slice(colon + 1)].map((part) =>
    Buffer.byteLength(part),
  );
  return lengths.every((length) => length > 0 && length <= maxCredentialBytes);
}

/** The users of a proxy. */
export class Accounts {
  readonly #digests: readonly Buffer[];

  /** Reads lines of `user:password`; empty lines and those that begin with `#` have no user. Throws for other lines. */
  constructor(text: string) {
    const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
    const invalid = lines.findIndex((line) => !isAccount(line));
    if (invalid >= 0) throw new Error(`user ${invalid + 1} of the credentials is not user:password`);
    this.#digests = lines.map(digest);
  }

  /** Takes the same time for every wrong password. */
  has(user: string, password: string): boolean {
    const given = digest(`${user}:${password}`);
    return this.#digests.map((known) => timingSafeEqual(known, given)).includes(true) && !user.includes(':');
  }
}
