import type { RequestContext } from '@annex/kinds';
import { sendBody, sendText } from '../respond.ts';

/** One thing that must be well. Throws, or rejects, where it is not; the message is logged, never sent. */
export interface HealthCheck {
  name: string;
  check(): void | Promise<void>;
  /** Asked by `/readyz` only. */
  readyOnly?: boolean;
}

const endpoints = ['healthz', 'livez', 'readyz'];

const checksOf = (endpoint: string, checks: readonly HealthCheck[]): HealthCheck[] =>
  checks.filter((check) => endpoint === 'readyz' || !check.readyOnly);

/** The paths that {@link answerHealth} answers. */
export const healthPaths = (checks: readonly HealthCheck[]): string[] =>
  endpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...checksOf(endpoint, checks).map(({ name }) => `/${endpoint}/${name}`),
  ]);

/**
 * Answers `/healthz`, `/livez`, `/readyz`, their `/NAME` forms, `?verbose` and `?exclude=NAME`, in kube's words. Returns
 * false where the path is none of these.
 */
export async function answerHealth(ctx: RequestContext, checks: readonly HealthCheck[]): Promise<boolean> {
  const [, endpoint = '', name, ...rest] = ctx.path.split('/');
  if (!endpoints.includes(endpoint) || rest.length > 0) return false;
  const asked = checksOf(endpoint, checks);
  if (name !== undefined) {
    const one = asked.find((check) => check.name === name);
    if (one === undefined) return false;
    const ok = await passes(one);
    const text = Buffer.from(ok ? 'ok' : `internal server error: ${name} check failed`);
    sendBody(ctx, ok ? 200 : 500, 'text/plain; charset=utf-8', text);
    return true;
  }
  await answerAll(ctx, endpoint, asked);
  return true;
}

async function answerAll(
  ctx: RequestContext,
  endpoint: string,
  checks: readonly HealthCheck[],
): Promise<void> {
  const excluded = new Set(ctx.query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const ok = await passes(check);
    failed ||= !ok;
    lines.push(ok ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const report = lines.map((line) => `${line}\n`).join('');
  if (failed) return sendText(ctx, 500, `${report}${endpoint} check failed\n`);
  sendText(ctx, 200, ctx.query.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok');
}

async function passes(check: HealthCheck): Promise<boolean> {
  try {
    await check.check();
    return true;
  } catch {
    return false;
  }
}
