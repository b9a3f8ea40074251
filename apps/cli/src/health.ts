import { readFileSync } from 'node:fs';
import { get as getHttps } from 'node:https';
import { nodeHttp, trustedCertificates } from '@annex/runtime';

const timeoutMs = 4_000;

/** `annex health URL [CA-FILE]`: the health check of a container. Resolves to 0 if a GET of the URL returns status 200. */
export function runHealth([url = '', caFile]: readonly string[]): Promise<number> {
  const get = url.startsWith('https:') ? getHttps : nodeHttp.get;
  const trusted = trustedCertificates(caFile === undefined ? undefined : readFileSync(caFile));
  return new Promise((resolve) => {
    const fail = (message: string) => {
      process.stderr.write(`${url}: ${message}\n`);
      resolve(1);
    };
    get(url, { timeout: timeoutMs, agent: false, ...trusted }, ({ statusCode = 0 }) =>
      statusCode === 200 ? resolve(0) : fail(`status ${statusCode}`),
    )
      .on('timeout', () => fail(`no response in ${timeoutMs / 1000} s`))
      .on('error', ({ message }) => fail(message));
  });
}
