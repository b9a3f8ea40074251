import { expect, test } from 'vitest';
import { checkCertificateRequest, requestedOrganizations } from './certificate-request.ts';

// openssl req -new -subj '/O=dev/CN=ada/O=system:masters'
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIHwMIGXAgEAMDUxDDAKBgNVBAoMA2RldjEMMAoGA1UEAwwDYWRhMRcwFQYDVQQK
DA5zeXN0ZW06bWFzdGVyczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFdhvtXF
GONWfDmVP+f3+DdBT0rwmTEk0qdy8mJXR5HlI0KDkOppzLmKTzO/CXrdACYwQFnF
nd63RuI88pe3UaKgADAKBggqhkjOPQQDAgNIADBFAiEAiTY92h182Hkt6Gy5z7AE
aALq6fJQpnr60giEB5ANg1ICIFb7ySixM5IBimOBFDdj0QV700rEQ4mb6K0lD/8Z
PZ5x
-----END CERTIFICATE REQUEST-----
`;

test('the organizations of a certificate request are those of its subject, in their order', () => {
  expect(requestedOrganizations(pem)).toEqual(['dev', 'system:masters']);
});

test.each([
  ['no PEM', 'x'],
  ['another kind of block', pem.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
])('%s is not a certificate request', (_, text) => {
  expect(() => requestedOrganizations(text)).toThrow('PEM block type must be CERTIFICATE REQUEST');
});

test('a certificate request is signed by its own key', () => {
  expect(() => checkCertificateRequest(pem)).not.toThrow();
});

test('a certificate request whose subject was changed after signing is refused', () => {
  const changed = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64');
  changed.write('eve', changed.indexOf('ada'));
  const text = `-----BEGIN CERTIFICATE REQUEST-----\n${changed.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  expect(requestedOrganizations(text)).toEqual(['dev', 'system:masters']);
  expect(() => checkCertificateRequest(text)).toThrow('x509: ECDSA verification failure');
});
