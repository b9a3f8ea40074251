import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readOptionalFile, usableFile } from '@annex/runtime';
import type { AgentIdentity } from './connect-server.ts';

/** Reads the files of an identity once, so that errors of the operator end the start. Throws OperatorError FILE_UNREADABLE. */
export async function checkFiles({ caFile, certFile, keyFile, tokenFile }: AgentIdentity): Promise<void> {
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile, tokenFile].map(readOptionalFile));
  if (caFile !== undefined) await usableFile(caFile, () => new X509Certificate(ca ?? ''));
  if (certFile !== undefined) await usableFile(certFile, () => createSecureContext({ cert, key }));
}
