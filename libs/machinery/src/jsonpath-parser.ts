import { trim } from './go/trim.ts';

/** One step of a path in the template language of kubectl. */
export type PathNode =
  | { kind: 'text'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'bool'; value: boolean }
  | { kind: 'identifier'; name: string }
  | { kind: 'field'; name: string }
  | {
      kind: 'slice';
      start: number | undefined;
      end: number | undefined;
      step: number | undefined;
      single: boolean;
    }
  | { kind: 'union'; branches: PathNode[][] }
  | { kind: 'filter'; left: PathNode[]; right: PathNode[]; operator: string }
  | { kind: 'wildcard' }
  | { kind: 'recursive' };

/** A path that cannot be parsed or evaluated; the message is kube-apiserver's. */
export class JsonPathError extends Error {}

/**
 * Parses a template, `text {.a.b} text {.c}`: one list of nodes for each action and each text between them.
 */
export function parseTemplate(template: string): PathNode[][] {
  const lists: PathNode[][] = [];
  let rest = template;
  while (rest !== '') {
    const open = rest.indexOf('{');
    if (open !== 0) {
      lists.push([{ kind: 'text', text: open < 0 ? rest : rest.slice(0, open) }]);
      if (open < 0) break;
    }
    const scanner = new ActionScanner(rest.slice(open + 1));
    lists.push(scanner.nodes());
    rest = scanner.rest();
  }
  return lists;
}

const parseAction = (text: string): PathNode[] => new ActionScanner(`${text}}`).nodes();

const dictKey = /^'([^']*)'$/;
const sliceShape = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/s;

class ActionScanner {
  private readonly text: string;
  private position = 0;
  private readonly found: PathNode[] = [];

  constructor(text: string) {
    this.text = text;
  }

  nodes(): PathNode[] {
    while (this.step());
    return this.found;
  }

  rest(): string {
    return this.text.slice(this.position);
  }

  // Parses one node; returns false at the end of the action.
  private step(): boolean {
    const { text, position } = this;
    if (text.startsWith('}', position)) {
      this.position++;
      return false;
    }
    if (text.startsWith('[?(', position)) return this.filter();
    if (text.startsWith('..', position)) return this.recursive();
    const char = [...text.slice(position, position + 2)][0] ?? '';
    if (char === '' || char === '\n' || char === '\r') throw new JsonPathError('unclosed action');
    if (char === ' ' || char === '@' || char === '$') {
      this.position++;
      return true;
    }
    if (char === '[') return this.array();
    if (char === '"' || char === "'") return this.quoted(char);
    if (char === '.') return this.field(position + 1);
    if (/^[+\-\p{Nd}]$/u.test(char)) return this.number();
    if (isAlphaNumeric(char)) return this.identifier();
    throw new JsonPathError(`unrecognized character in action: ${describe(char)}`);
  }

  private recursive(): boolean {
    if (this.found.at(-1)?.kind === 'recursive') {
      throw new JsonPathError('invalid multiple recursive descent');
    }
    this.position += 2;
    this.found.push({ kind: 'recursive' });
    return isAlphaNumeric(this.text[this.position] ?? '') ? this.field(this.position) : true;
  }

  // Parses a name up to the next terminator; a backslash escapes any character.
  private field(start: number): boolean {
    let end = start;
    while (end < this.text.length && !isTerminator(this.text[end] ?? ''))
      end += this.text[end] === '\\' ? 2 : 1;
    const name = this.text.slice(start, end);
    this.position = Math.min(end, this.text.length);
    this.found.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
    return true;
  }

  private identifier(): boolean {
    let end = this.position;
    while (end < this.text.length && !isTerminator(this.text[end] ?? '')) end++;
    const name = this.text.slice(this.position, end);
    this.position = end;
    const bool = name === 'true' || name === 'false';
    this.found.push(bool ? { kind: 'bool', value: name === 'true' } : { kind: 'identifier', name });
    return true;
  }

  private number(): boolean {
    const text = /^[+-]?[.\p{Nd}]*/u.exec(this.rest())?.[0] ?? '';
    this.position += text.length;
    if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
    this.found.push({ kind: 'number', value: Number(text) });
    return true;
  }

  private quoted(quote: string): boolean {
    let end = this.position + 1;
    for (; this.text[end] !== quote || this.text[end - 1] === '\\'; end++) {
      if (end >= this.text.length || this.text[end] === '\n') {
        throw new JsonPathError('unterminated quoted string');
      }
    }
    const raw = this.text.slice(this.position, end + 1);
    this.position = end + 1;
    this.found.push({ kind: 'text', text: unquote(raw) });
    return true;
  }

  private array(): boolean {
    const end = this.text.slice(this.position).search(/[\]\n]/);
    if (end < 0 || this.text[this.position + end] !== ']') throw new JsonPathError('unterminated array');
    const inside = this.text.slice(this.position + 1, this.position + end);
    this.position += end + 1;
    const parts = inside.split(',');
    if (parts.length > 1) {
      const branches = parts.map((part) => parseAction(`[${trim(part, ' ')}]`));
      this.found.push({ kind: 'union', branches });
      return true;
    }
    const key = dictKey.exec(inside)?.[1];
    this.found.push(...(key === undefined ? [slice(inside)] : parseAction(`.${key}`)));
    return true;
  }

  private filter(): boolean {
    const start = this.position + 3;
    const close = filterEnd(this.text, start);
    if (this.text[close + 1] !== ']') throw new JsonPathError('unclosed array expect ]');
    const inside = this.text.slice(start, close);
    this.position = close + 2;
    const parts = comparison.exec(inside);
    this.found.push(
      parts === null
        ? { kind: 'filter', left: parseAction(inside), right: [], operator: 'exists' }
        : {
            kind: 'filter',
            left: parseAction(parts[1] ?? ''),
            right: parseAction(parts[3] ?? ''),
            operator: parts[2] ?? '',
          },
    );
    return true;
  }
}

// Returns the index of the closing parenthesis of a filter; a parenthesis in the quoted right side does not
// count.
function filterEnd(text: string, start: number): number {
  let begun = false;
  let ended = false;
  let pair = '';
  for (let i = start; i < text.length && text[i] !== '\n'; i++) {
    const char = text[i] ?? '';
    if (char === '"' || char === "'") {
      if (!begun) {
        begun = true;
        pair = char;
      } else if (text[i - 1] !== '\\' && char === pair) ended = true;
    } else if (char === ')' && begun === ended) return i;
  }
  throw new JsonPathError('unterminated filter');
}

function slice(inside: string): PathNode {
  const parts = sliceShape.exec(inside === '*' ? ':' : inside);
  if (parts === null) throw new JsonPathError(`invalid array index ${inside}`);
  const [, first = '', second = '', third = ''] = parts;
  const start = index(first);
  const step = third === '' ? undefined : index(third.slice(1));
  if (second === '') return { kind: 'slice', start, end: (start ?? 0) + 1, step, single: true };
  return { kind: 'slice', start, end: index(second.slice(1)), step, single: false };
}

function index(digits: string): number | undefined {
  if (digits === '') return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${digits} is not a number`);
  return value;
}

function unquote(raw: string): string {
  const inner = raw.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  return inner.replaceAll(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)/gs, (_all, escape: string) => {
    const plain = escapes.get(escape);
    if (plain !== undefined) return plain;
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    if (escape === raw[0]) return escape;
    throw new JsonPathError(`unquote string ${raw} error invalid syntax`);
  });
}

const escapes = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);

const isTerminator = (char: string) => ' \t\r\n.,[]$@{}'.includes(char);
const isAlphaNumeric = (char: string) => /^[_\p{L}\p{Nd}]$/u.test(char);
// Go's %#U
const describe = (char: string) =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} '${char}'`;
