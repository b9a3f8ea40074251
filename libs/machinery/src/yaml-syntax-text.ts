import type { LineCounter, YAMLParseError } from 'yaml';

const badCharacter = 'found character that cannot start any token';
const unexpectedEnd = 'found unexpected end of stream';
const missingColon = "could not find expected ':'";
const noMapping = 'mapping values are not allowed in this context';
const missingComma = "did not find expected ',' or ";
const missingKey = 'did not find expected key';
const missingNode = 'did not find expected node content';

/** Texts of go-yaml's scanner. It does not name the first line. */
const scannerTexts: ReadonlySet<string> = new Set([badCharacter, unexpectedEnd, noMapping]);

/** Beginnings of messages whose code has several meanings. */
const knownProblems: readonly (readonly [start: string, text: string])[] = [
  ['Missing closing ', unexpectedEnd],
  ['Implicit map keys need to be followed', missingColon],
  ['Missing , ', missingComma],
  ['Flow ', missingComma],
  ['Sequence item without', missingKey],
  ['Block scalar header', 'did not find expected comment or line break'],
];

const syntaxTexts: Partial<Record<YAMLParseError['code'], string>> = {
  BAD_SCALAR_START: badCharacter,
  BLOCK_AS_IMPLICIT_KEY: noMapping,
  BLOCK_IN_FLOW: missingComma,
  MULTILINE_IMPLICIT_KEY: noMapping,
  TAB_AS_INDENT: badCharacter,
  UNEXPECTED_TOKEN: missingNode,
  BAD_INDENT: missingKey,
  BAD_DQ_ESCAPE: 'found unknown escape character',
};

/** Texts of go-yaml's parser. It counts lines from 0, and does not name line 0. */
const parserTexts: ReadonlySet<string> = new Set([missingComma, missingKey, missingNode]);

/** Returns go-yaml's message for a text that its reader refuses, or whose version it does not know. */
export function yamlTextProblem(text: string): string | undefined {
  if (/[^\t\n\r\x20-\x7E\x85\xA0-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text))
    return 'yaml: control characters are not allowed';
  const version = /^%YAML\s+(\S+)/.exec(text)?.[1];
  return version === undefined || version === '1.1' ? undefined : 'yaml: found incompatible YAML document';
}

/** Returns go-yaml's message for a syntax error; `next` is the error after it. */
export function yamlSyntaxText(
  text: string,
  lines: LineCounter,
  [problem, next]: readonly [YAMLParseError, YAMLParseError | undefined],
): string {
  const lineOf = (offset: number) => lines.linePos(offset).line;
  const [offset] = problem.pos;
  const at = lineOf(offset);
  const why = reasonOf(problem, text);
  // A value that goes on in the next line looks like a key there.
  const key = [problem, next].find((each) => each?.code === 'MULTILINE_IMPLICIT_KEY');
  if (key !== undefined && why === noMapping) return located(lineOf(key.pos[1]), why);
  if (why === missingColon) return located(at + 1, why);
  // To go-yaml, the end of a text is always a line of its own.
  const line = offset >= text.length && !text.endsWith('\n') ? at : at - 1;
  if (why === missingComma) return located(line, `${why}'${innermostEnd(text.slice(0, offset))}'`);
  if (parserTexts.has(why)) return located(line, why);
  return located(at === 1 && scannerTexts.has(why) ? 0 : at, why);
}

const located = (line: number, why: string): string =>
  line === 0 ? `yaml: ${why}` : `yaml: line ${line}: ${why}`;

function reasonOf({ code, message, pos: [offset] }: YAMLParseError, text: string): string {
  const [, known] = knownProblems.find(([start]) => message.startsWith(start)) ?? [];
  const why = known ?? syntaxTexts[code] ?? message;
  // Only a key can stand at the beginning of a line of a mapping.
  const isFirst = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
  return why === missingNode && offset > 0 && isFirst ? missingKey : why;
}

/** Returns the bracket that ends the innermost flow collection which is open at the end of a text. */
function innermostEnd(text: string): string {
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== '') {
      if (character === '\\' && quote === '"') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[' || character === '{') open.push(character);
    else if (character === ']' || character === '}') open.pop();
  }
  return open.at(-1) === '{' ? '}' : ']';
}
