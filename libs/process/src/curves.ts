import { createSecureContext } from 'node:tls';

/** OpenSSL's names of key exchange groups, by their number in TLS, which is Go's CurveID. */
const groups = new Map([
  ['23', 'P-256'],
  ['24', 'P-384'],
  ['25', 'P-521'],
  ['29', 'X25519'],
  ['4587', 'SecP256r1MLKEM768'],
  ['4588', 'X25519MLKEM768'],
  ['4589', 'SecP384r1MLKEM1024'],
]);

/** Returns what is invalid about the numbers of key exchange groups. */
export const curveProblems = (numbers: readonly string[]): string[] =>
  numbers.flatMap((number, i) => {
    const group = groups.get(number);
    if (group === undefined)
      return [`curve preference ${number} is unknown; known are ${[...groups.keys()].join(', ')}`];
    if (numbers.indexOf(number) < i) return [`duplicate curve preference ${number}`];
    return isAvailable(group)
      ? []
      : [`curve preference ${number}, ${group}, is not in the OpenSSL of this Node`];
  });

/** Node 22 has no post-quantum groups. */
function isAvailable(group: string): boolean {
  try {
    createSecureContext({ ecdhCurve: group });
    return true;
  } catch {
    return false;
  }
}

/** Returns OpenSSL's list of these groups; undefined for Node's default. */
export const opensslGroups = (numbers: readonly string[]): string | undefined =>
  numbers.length === 0 ? undefined : numbers.flatMap((number) => groups.get(number) ?? []).join(':');
