import { ConfigurationError } from '@annex/auth';
import { readDuration } from '@annex/machinery';

/** Reads a duration of a configuration in milliseconds. Throws {@link ConfigurationError} with Go's text. */
export function durationMs(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const read = readDuration(text);
  if ('error' in read) throw new ConfigurationError(read.error);
  return Number(read.nanoseconds) / 1e6;
}

/** Formats milliseconds like Go's `Duration.String`: `10s`, `1m30s`, `500ms`. */
export function durationText(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  const size = Math.abs(milliseconds);
  if (size < 1000) return `${sign}${size}ms`;
  const hours = Math.floor(size / 3_600_000);
  const minutes = Math.floor((size % 3_600_000) / 60_000);
  const seconds = (size % 60_000) / 1000;
  const parts = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${seconds}s`];
  return sign + parts.join('');
}
