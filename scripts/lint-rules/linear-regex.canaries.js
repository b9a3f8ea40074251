const canary = (name, refused, source) => ({ name, refused, source: `${source}\n` });

/** Regular expressions, and whether the rule must reject them. */
export const linearRegexCanaries = [
  canary('an exponential literal', true, String.raw`export const f = /^(a|aa)+$/;`),
  canary('an exponential literal of digits', true, String.raw`export const f = /^(?:\d+\.?\d*s)+$/;`),
  canary('a quadratic literal', true, String.raw`export const f = /\s+$/;`),
  canary('a quadratic pair of repetitions', true, String.raw`export const f = /^(\d*)(\.?\d*)!$/;`),
  canary('a cubic literal', true, String.raw`export const f = /BEGIN (.+)-([^]*?)END \1/;`),
  canary('what cannot be proved', true, String.raw`export const f = /^[a-z0-9:-]{0,255}[a-z0-9]$/;`),
  canary(
    'a quadratic constant',
    true,
    "const digits = '[0-9]*'; export const f = new RegExp(`^${digits}${digits}$`);",
  ),
  canary('a quadratic call without new', true, String.raw`export const f = RegExp('a+$', 'g');`),
  canary(
    'a quadratic text that is searched for',
    true,
    "export const f = (text: string) => text.search('a+$');",
  ),
  canary(
    'an expression from a parameter',
    true,
    'export const f = (pattern: string) => new RegExp(pattern);',
  ),
  canary('flags from a parameter', true, "export const f = (flags: string) => new RegExp('a', flags);"),
  canary(
    'an expression around a parameter',
    true,
    'export const f = (part: string) => new RegExp(`^${part}$`);',
  ),
  canary('a linear literal', false, String.raw`export const f = /^(?:\d+(?:\.\d*)?|\.\d+)s$/;`),
  canary(
    'a linear constant',
    false,
    "const digit = '[0-9]'; export const f = new RegExp(`^${digit}+canary$`);",
  ),
];
