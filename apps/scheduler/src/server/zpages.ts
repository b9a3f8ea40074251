import { versionInfo } from '@annex/server';
import { schedulerOptions, type SchedulerProcessConfig } from '../options.ts';

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

const page = (name: string, lines: readonly string[]): string =>
  ['', `kube-scheduler ${name}`, warning, ...lines, ''].join('\n');

const paths = ['/configz', '/flagz', '/healthz', '/livez', '/metrics', '/readyz'];

/** Returns the text of `/statusz`. Times are in milliseconds since 1970. */
export function statuszText(started: number, now: number): string {
  const seconds = Math.floor((now - started) / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [weekday, day, month, year, time] = new Date(started).toUTCString().replace(',', '').split(' ');
  const release = (versionInfo.gitVersion ?? '').replace('v', '');
  return page('statusz', [
    '',
    `Started: ${weekday} ${month} ${day} ${time} UTC ${year}`,
    `Up: ${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`,
    `Binary version: ${release}`,
    `Emulation version: ${release.split('.').slice(0, 2).join('.')}`,
    `Paths: ${paths.join(' ')}`,
  ]);
}

/** Returns the text of `/flagz`: the options with their values, by name. */
export function flagzText(config: SchedulerProcessConfig): string {
  const values = new Map<string, unknown>(Object.entries(config));
  const lines = Object.entries(schedulerOptions).map(
    ([name, { flag }]) => `${flag} ${valueText(values.get(name))}`,
  );
  return page('flagz', lines.toSorted());
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, one]) => `${key}=${String(one)}`)
      .join(',');
  return value === undefined ? '' : String(value as string | number | boolean);
}
