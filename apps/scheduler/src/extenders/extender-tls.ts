import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { ClientConfig } from '@annex/client';
import type { ExtenderConfig, ExtenderTls } from '../config/types.ts';

type Part = 'ca' | 'cert' | 'key';

/** Returns how an extender is reached over TLS. Throws an Error with kube-scheduler's message. */
export function extenderTls({ enableHTTPS, tlsConfig }: ExtenderConfig): Partial<ClientConfig> {
  const hasCA = Boolean(tlsConfig?.caFile || tlsConfig?.caData);
  const isInsecure = tlsConfig?.insecure === true || (enableHTTPS && !hasCA);
  if (hasCA && isInsecure)
    throw refused('specifying a root certificates file with the insecure flag is not allowed');
  const ca = read(tlsConfig, 'ca');
  const cert = read(tlsConfig, 'cert');
  const key = read(tlsConfig, 'key');
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw refused('unable to load root certificates: unable to parse bytes as PEM block');
  const { serverName = '' } = tlsConfig ?? {};
  return {
    ...(isInsecure ? { insecureSkipTlsVerify: true } : {}),
    ...(serverName === '' ? {} : { tlsServerName: serverName }),
    ...(ca === undefined ? {} : { ca }),
    // As in client-go, one without the other is not used.
    ...(cert === undefined || key === undefined ? {} : keyPair(cert, key)),
  };
}

const refused = (why: string): Error => new Error(`couldn't build extenders: ${why}`);

function keyPair(cert: string, key: string): Partial<ClientConfig> {
  if (!cert.includes('-----BEGIN ')) throw refused('tls: failed to find any PEM data in certificate input');
  if (!key.includes('-----BEGIN ')) throw refused('tls: failed to find any PEM data in key input');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw refused((error as Error).message);
  }
  return { cert, key };
}

/** Data has priority over the file. */
function read(tls: ExtenderTls | undefined, part: Part): string | undefined {
  const data = tls?.[`${part}Data`];
  if (data) return Buffer.from(data, 'base64').toString();
  const file = tls?.[`${part}File`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw refused(code === 'ENOENT' ? `open ${file}: no such file or directory` : message);
  }
}
