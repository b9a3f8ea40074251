import { constants, createPrivateKey, privateEncrypt } from 'node:crypto';
import forge from 'node-forge';
import { rsaKey } from '../pki/rsa-key.fixture.ts';

/** The DER bytes before the digest in a PKCS #1 signature with SHA-256. */
const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Returns a key pair for certificates of node-forge. Node signs: node-forge takes a hundred times as long. */
export function forgeKey(): forge.pki.rsa.KeyPair {
  const pem = rsaKey();
  const key = createPrivateKey(pem);
  const privateKey = forge.pki.privateKeyFromPem(pem);
  privateKey.sign = (digest) => {
    const bytes = typeof digest === 'string' ? digest : digest.digest().getBytes();
    const signed = Buffer.concat([digestInfo, Buffer.from(bytes, 'binary')]);
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signed).toString('binary');
  };
  return { privateKey, publicKey: forge.pki.setRsaPublicKey(privateKey.n, privateKey.e) };
}
