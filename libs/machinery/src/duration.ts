import { goQuote } from './go-quote.ts';

/** An age as kubectl prints it: two units where the larger one is small (`3m4s`, `2d5h`), else one. Milliseconds in. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  // The clocks of two machines may differ by a little.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return pair(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (hours < 24 * 365 * 8) return pair(years, 'y', days % 365, 'd');
  return `${years}y`;
}

const pair = (large: number, unit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;

const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The milliseconds of a Go duration (`1h30m`, `250ms`, `-1.5s`, `0`), or `undefined` where the text is none. */
export function parseDuration(text: string): number | undefined {
  const found = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text);
  if (found === null) return undefined;
  let sum = 0;
  for (const [, digits, unit] of (found[2] ?? '').matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(digits) * (units[unit ?? ''] ?? 0);
  }
  return found[1] === '-' ? -sum : sum;
}

/** Why a text is no Go duration, as Go says it; `undefined` where it is one. */
export function durationError(text: string): string | undefined {
  if (parseDuration(text) !== undefined) return undefined;
  const rest = text.replace(/^[+-]/, '').replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*/, '');
  const [, digits = '', unit = ''] = /^(\d+\.?\d*|\.\d+)?([^\d.]*)/.exec(rest) ?? [];
  if (digits === '') return `time: invalid duration ${goQuote(text)}`;
  if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
  return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
}
