/** Returns the types of the PEM blocks of a text. */
const pemTypes = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(begin) && line.trimEnd().endsWith(dashes))
    .map((line) => line.trimEnd().slice(begin.length, -dashes.length));

const begin = '-----BEGIN ';
const dashes = '-----';

/** Returns why Go finds no certificate in a text, or undefined. */
export function certificateProblem(text: string): string | undefined {
  const types = pemTypes(text);
  const [first] = types;
  if (types.includes('CERTIFICATE')) return undefined;
  if (first === undefined) return 'tls: failed to find any PEM data in certificate input';
  return types.length === 1 && first.endsWith(keyType)
    ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
    : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

const keyType = 'PRIVATE KEY';

/** Returns why Go finds no key in a text, or undefined. */
export function keyProblem(text: string): string | undefined {
  const types = pemTypes(text);
  if (types.some((type) => type.endsWith(keyType))) return undefined;
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  return types.length === 1 && types[0] === 'CERTIFICATE'
    ? 'tls: found a certificate rather than a key in the PEM for the private key'
    : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}
