import { resolvePlainScalar } from './yaml-scalar.ts';

/** The styles of a string in kube-apiserver's YAML library. */
export type YamlStyle = 'plain' | 'single' | 'double' | 'literal';

// Without any of these, a string that starts with a letter is plain unless it is a word such as `yes`.
const harmless = /^[A-Za-z][\w./-]*$/;
// Tabs, control characters, the byte order mark, lone surrogates, and characters beyond the first plane.
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;
const blockIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[-?:](?:[ \t]|$))|:(?:[ \t\n]|$)|[ \t\n]#/;

/** Selects the style of a string: plain if it is unambiguous, literal if it has line breaks. */
export function yamlStyle(text: string): YamlStyle {
  if (harmless.test(text)) return resolvesToText(text) ? 'plain' : 'double';
  if (unprintable.test(text) || text.includes(' \n')) return 'double';
  if (text.includes('\n')) return text.endsWith(' ') ? 'double' : 'literal';
  if (!resolvesToText(text) || isBase60(text) || isTimestamp(text)) return 'double';
  return blockIndicator.test(text) || text.startsWith(' ') || text.endsWith(' ') ? 'single' : 'plain';
}

function resolvesToText(text: string): boolean {
  try {
    return typeof resolvePlainScalar(text) === 'string';
  } catch {
    return false;
  }
}

const isBase60 = (text: string): boolean => /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);

const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+]\d\d:\d\d))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** True for strings that YAML 1.1 reads as a time; they must be one. */
function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...clock] = match.slice(1).map((part) => Number(part ?? 0));
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth) return false;
  const [hour = 0, minute = 0, second = 0] =
    clock.some((part) => part > 0) && match[7] ? clock.slice(3) : clock;
  return hour < 24 && minute < 60 && second < 60;
}
