import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** The arguments of `annex health`. */
export interface HealthCheck {
  url: string;
  caFile: string | undefined;
}

/** Reads the command of a health check. Throws if it is not `annex health`. */
export function healthCheckOf(command: readonly string[]): HealthCheck {
  const [program, subcommand, url, caFile] = command;
  if (program !== 'annex' || subcommand !== 'health' || url === undefined)
    throw new Error(`${command.join(' ')} is not annex health`);
  return { url, caFile };
}

/** True if a GET of the URL returns status 200. A process for each check would take longer than the check. */
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
