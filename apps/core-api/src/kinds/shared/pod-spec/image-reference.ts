// The grammar of github.com/distribution/reference, in lines that cannot backtrack.
const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const domainPart = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const address = /^\[[A-Fa-f0-9:]+\]$/;
const portNumber = /^[0-9]+$/;
const tagName = /^\w[\w.-]*$/;
const algorithm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*$/;
const hex = /^[0-9A-Fa-f]+$/;
const identifier = /^[a-f0-9]+$/;
const longestTag = 128;
const shortestHex = 32;
const identifierLength = 64;
const longestName = 255;

/** Returns the tag of an image, `latest` if it names neither tag nor digest; `undefined` if the reference is invalid. */
export function tagOfImage(image: string): string | undefined {
  if (image.length === identifierLength && identifier.test(image)) return undefined;
  const [rest = '', digest, ...more] = image.split('@');
  if (more.length > 0 || (digest !== undefined && !isDigest(digest))) return undefined;
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const [name, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  if ((tag !== undefined && (tag.length > longestTag || !tagName.test(tag))) || !isName(name))
    return undefined;
  return tag ?? (digest === undefined ? 'latest' : '');
}

function isDigest(digest: string): boolean {
  const [name = '', value = '', ...more] = digest.split(':');
  return more.length === 0 && algorithm.test(name) && value.length >= shortestHex && hex.test(value);
}

function isName(name: string): boolean {
  const [first = '', ...rest] = name.split('/');
  const isLocal = !/[.:]/.test(first) && first !== 'localhost' && first === first.toLowerCase();
  const path = rest.length === 0 || isLocal ? [first, ...rest] : rest;
  const domain = path === rest ? first : 'docker.io';
  const added = path === rest ? '' : path.length === 1 ? 'docker.io/library/' : 'docker.io/';
  return (
    isDomain(domain) &&
    path.every((part) => component.test(part)) &&
    added.length + name.length <= longestName
  );
}

function isDomain(text: string): boolean {
  const [host = '', port, ...more] = text.startsWith('[') ? splitAddress(text) : text.split(':');
  if (more.length > 0 || (port !== undefined && !portNumber.test(port))) return false;
  return address.test(host) || host.split('.').every((part) => domainPart.test(part));
}

function splitAddress(text: string): string[] {
  const end = text.indexOf(']') + 1;
  const [host, rest] = [text.slice(0, end), text.slice(end)];
  if (rest === '') return [host];
  return rest.startsWith(':') ? [host, rest.slice(1)] : ['', ''];
}
