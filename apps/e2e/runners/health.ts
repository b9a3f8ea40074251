import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** What a health check asks, as `deploy/check-health.mjs` does: a URL, and the authority behind it. */
export interface HealthCheck {
  url: string;
  caFile: string | undefined;
}

/** Reads the command of a health check. Throws for one that is not known. */
export function healthCheckOf(command: readonly string[]): HealthCheck {
  const [program, script, url, caFile] = command;
  if (program !== 'node' || script !== 'deploy/check-health.mjs' || url === undefined) {
    throw new Error(`${command.join(' ')} is no health check that is known here`);
  }
  return { url, caFile };
}

/** True where the URL answers 200. A process of its own for each question would cost more than what it asks about. */
export function isHealthy({ url, caFile }: HealthCheck): Promise<boolean> {
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile) };
  const get = url.startsWith('https:') ? getHttps : getHttp;
  return new Promise((resolve) => {
    const requested = get(url, { timeout: 4_000, agent: false, ...ca }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    requested.on('timeout', () => requested.destroy());
    requested.on('error', () => resolve(false));
  });
}
