import type { RequestContext } from '@annex/kinds';
import { sendBody, sendText } from '../respond.ts';
import type { Handler } from '../route.ts';

/** An error of a health check whose message is sent to clients that request this check alone. */
export class HealthError extends Error {}

/** A health check. Throws or rejects if it fails. The message is not sent, unless it is a {@link HealthError}. */
export interface HealthCheck {
  name: string;
  check(): void | Promise<void>;
  /** Only `/readyz` runs this check. */
  readyOnly?: boolean;
  /** The only endpoints that run this check: `healthz`, `livez`, `readyz`. */
  endpoints?: readonly string[];
}

const endpoints = ['healthz', 'livez', 'readyz'];

const checksOf = (endpoint: string, checks: readonly HealthCheck[]): HealthCheck[] =>
  checks.filter(({ endpoints, readyOnly }) =>
    endpoints === undefined ? endpoint === 'readyz' || !readyOnly : endpoints.includes(endpoint),
  );

/** Returns the paths that {@link healthHandler} serves. */
export const healthPaths = (checks: readonly HealthCheck[]): string[] =>
  endpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checksOf(endpoint, checks).map(({ name }) => `/${endpoint}/${name}`),
  ]);

/**
 * Returns the handler of `/healthz`, `/livez`, `/readyz` and their `/NAME` forms, with `?verbose` and
 * `?exclude=NAME`. The texts are those of kube-apiserver.
 */
export function healthHandler({ path }: RequestContext, checks: readonly HealthCheck[]): Handler | undefined {
  const [, endpoint = '', ...names] = path.split('/');
  if (!endpoints.includes(endpoint)) return undefined;
  const relevant = checksOf(endpoint, checks);
  if (names.length === 0) return (request) => sendAll(request, endpoint, relevant);
  const check = relevant.find(({ name }) => name === names.join('/'));
  return check && ((request) => sendOne(request, check));
}

async function sendOne(request: RequestContext, check: HealthCheck): Promise<void> {
  const error = await errorOf(check);
  const why = error instanceof HealthError ? `${error.message}\n` : `${check.name} check failed`;
  const text = Buffer.from(error === undefined ? 'ok' : `internal server error: ${why}`);
  sendBody(request, error === undefined ? 200 : 500, 'text/plain; charset=utf-8', text);
}

async function sendAll(
  request: RequestContext,
  endpoint: string,
  checks: readonly HealthCheck[],
): Promise<void> {
  const excluded = new Set(request.query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  // Checks of a store that does not respond wait at the same time.
  const results = checks.map((check) => !excluded.has(check.name) && errorOf(check));
  for (const [i, check] of checks.entries()) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const ok = (await results[i]) === undefined;
    failed ||= !ok;
    lines.push(ok ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const report = lines.map((line) => `${line}\n`).join('');
  if (failed) return sendText(request, 500, `${report}${endpoint} check failed\n`);
  sendText(request, 200, request.query.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok');
}

async function errorOf(check: HealthCheck): Promise<unknown> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error ?? new Error('no reason');
  }
}
