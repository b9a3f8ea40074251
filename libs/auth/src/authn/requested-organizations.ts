import { derChildren, derElements } from './der.ts';

const organization = '55040a';

/** The organizations in the subject of a PKCS #10 request in PEM. Throws where it is none. Source: RFC 2986, section 4. */
export function requestedOrganizations(pem: string): string[] {
  const block = /-----BEGIN ([^-]+)-----([\s\S]*?)-----END \1-----/.exec(pem);
  if (block?.[1] !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info] = derChildren(Buffer.from(block[2] ?? '', 'base64'));
  const [, subject] = derElements(info?.content ?? Buffer.alloc(0));
  return derElements(subject?.content ?? Buffer.alloc(0))
    .flatMap(({ content }) => derElements(content))
    .map(({ content }) => derElements(content))
    .filter(([id]) => id?.content.toString('hex') === organization)
    .map(([, value]) => value?.content.toString() ?? '');
}
