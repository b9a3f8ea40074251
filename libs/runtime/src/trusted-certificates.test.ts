import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { createTestCA } from '@annex/testkit';
import { expect, it } from 'vitest';
import { trustedCertificates } from './trusted-certificates.ts';

const ca = createTestCA('ca');
const leaf = ca.issue({ commonName: 'localhost', dnsNames: ['localhost'] });
const other = ca.issue({ commonName: 'other', dnsNames: ['localhost'] });

/** Returns the error of a handshake with the server of `leaf`. */
async function handshake(bundle: string): Promise<string | undefined> {
  const server = createServer({ cert: leaf.certificate, key: leaf.key });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: 'localhost', ...trustedCertificates(bundle) });
  try {
    await once(socket, 'secureConnect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
    server.close();
  }
}

it.each([
  ['the CA', ca.certificate, undefined],
  ['the certificate of the server, which is no CA', leaf.certificate, undefined],
  ['that certificate after another one', createTestCA('another').certificate + leaf.certificate, undefined],
  ['another CA', createTestCA('another').certificate, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['another certificate of the same CA', other.certificate, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])('a bundle with %s', async (_what, bundle, error) => {
  expect(await handshake(bundle)).toBe(error);
});

it('without a bundle, the system roots are trusted', () => {
  expect([trustedCertificates(undefined), trustedCertificates('')]).toEqual([{}, {}]);
});
