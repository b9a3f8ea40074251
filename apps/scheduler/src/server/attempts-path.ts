import { Buffer } from 'node:buffer';
import type { RequestContext } from '@annex/kinds';
import { stringifyJson } from '@annex/machinery';
import { sendBody, sendText } from '@annex/server';
import type { Attempt } from '../explain/attempts.ts';

/** The path of the attempts to schedule a Pod: `/annex/attempts/<namespace>/<pod>`. */
export const attemptsPath = '/annex/attempts';

/** Where attempts are looked up. */
export interface KnownAttempts {
  of(pod: string): readonly Attempt[] | Promise<readonly Attempt[]>;
}

/** Serves the attempts of Pods, and 404 for every other path. */
export async function attemptsHandler(request: RequestContext, attempts: KnownAttempts): Promise<void> {
  const [namespace, name, ...rest] = request.path.startsWith(`${attemptsPath}/`)
    ? request.path.slice(attemptsPath.length + 1).split('/')
    : [];
  if (!namespace || !name || rest.length > 0) return sendText(request, 404, '404 page not found\n');
  const body = Buffer.from(stringifyJson({ attempts: await attempts.of(`${namespace}/${name}`) }));
  sendBody(request, 200, 'application/json', body);
}
