import { get as getHttps } from 'node:https';
import { nodeHttp, OperatorError, readTextFileSync, trustedCertificates } from '@annex/runtime';
import { reportErrors, reportInvalidCommandLine } from './report-errors.ts';

const timeoutMs = 4_000;
const usage = 'annex health URL [CA-FILE]';

/** `annex health`: the health check of a container. Resolves to 0 if a GET of the URL returns status 200. */
export async function runHealth([url = '', caFile]: readonly string[]): Promise<number> {
  if (url === '--help' || url === '-h') {
    process.stdout.write(`Usage: ${usage}\n`);
    return 0;
  }
  if (url === '') return reportInvalidCommandLine([new OperatorError('ARGUMENT_MISSING', `usage: ${usage}`)]);
  if (!isWebUrl(url))
    return reportInvalidCommandLine([
      new OperatorError('ARGUMENT_UNEXPECTED', `${url} is not a URL; usage: ${usage}`),
    ]);
  try {
    await requestHealth(url, caFile === undefined ? undefined : readTextFileSync(caFile));
    return 0;
  } catch (error) {
    return reportErrors([error]);
  }
}

function requestHealth(url: string, ca: string | undefined): Promise<void> {
  const get = url.startsWith('https:') ? getHttps : nodeHttp.get;
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new OperatorError('SERVER_UNREACHABLE', `${url}: ${message}`));
    get(url, { timeout: timeoutMs, agent: false, ...trustedCertificates(ca) }, ({ statusCode = 0 }) =>
      statusCode === 200 ? resolve() : fail(`status ${statusCode}`),
    )
      .on('timeout', () => fail(`no response in ${timeoutMs / 1000} s`))
      .on('error', ({ message }) => fail(message));
  });
}

const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
