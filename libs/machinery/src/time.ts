let last = { second: Number.NaN, text: '' };

/** Formats a time as kube-apiserver does: RFC 3339, UTC, whole seconds. Most calls are about the current second. */
export function formatTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== last.second) {
    last = { second, text: `${new Date(milliseconds).toISOString().slice(0, 19)}Z` };
  }
  return last.text;
}

/** Formats a time as MicroTime: RFC 3339, UTC, six fractional digits. */
export function formatMicroTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns the milliseconds since 1970 of an RFC 3339 text, or `undefined` if it is invalid (Go's
 * `time.RFC3339`).
 */
export function parseTime(text: string): number | undefined {
  return parseWholeSeconds(text) ?? parseAny(text);
}

/** Parses the form that the server writes, of years from 1000 on; `undefined` for other texts and for invalid ones. */
function parseWholeSeconds(text: string): number | undefined {
  if (text.length !== wholeSecondsLength || !wholeSeconds.test(text)) return undefined;
  const digits = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
  const day = digits(8);
  const year = digits(0) * 100 + digits(2);
  const time = Date.UTC(year, digits(5) - 1, day, digits(11), digits(14), digits(17));
  // Date rolls over a day that the month does not have.
  return day <= 28 || new Date(time).getUTCDate() === day ? time : undefined;
}

const wholeSecondsLength = '2026-01-02T03:04:05Z'.length;
const wholeSeconds =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

function parseAny(text: string): number | undefined {
  const found = rfc3339.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0', zone = 'Z'] = found;
  const part = (digits: string | undefined) => Number(digits);
  if (part(hour) > 23 || part(minute) > 59 || part(second) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(part(year), part(month) - 1, part(day));
  // Date rolls over a day or month out of range.
  if (date.getUTCMonth() !== part(month) - 1 || date.getUTCDate() !== part(day)) return undefined;
  const offset = zoneMinutes(zone);
  if (offset === undefined) return undefined;
  const time = ((part(hour) * 60 + part(minute) - offset) * 60 + part(second)) * 1000;
  return date.getTime() + time + Math.trunc(Number(`0.${fraction}`) * 1000);
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
