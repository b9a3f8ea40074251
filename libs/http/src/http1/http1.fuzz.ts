import { type FuzzTarget, orError } from '@annex/testkit';
import { listedNames } from '../header-list.ts';
import { MalformedResponse, parseHead, type ResponseHead } from './response-head.ts';
import { bodyReader } from './body-reader.ts';
import { framingOf, keepsConnection } from './framing.ts';
import { HeadReader } from './head-reader.ts';
import { type NodeOutcome, readWithNode } from './node-parser.fixture.ts';

const heads = [
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n',
  'HTTP/1.0 404 Not Found\nA: 1\n folded\nConnection: keep-alive\n\nbody',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\nA : b\r\n\r\nxy',
];

/** Reads a response whose bytes come in pieces of this length. */
function read(bytes: Buffer, pieceLength: number): string {
  const heads = new HeadReader();
  let at = 0;
  const next = (): Buffer | undefined => {
    if (at >= bytes.length) return undefined;
    return bytes.subarray(at, (at += pieceLength));
  };
  let piece = next();
  let taken: ReturnType<HeadReader['take']>;
  while (piece !== undefined && (taken = heads.take(piece)) === undefined) piece = next();
  if (taken === undefined) return 'incomplete';
  const head = parseHead(taken.head);
  const framing = framingOf(head, 'GET');
  keepsConnection(head);
  const reader = bodyReader(framing);
  let body = '';
  for (let rest: Buffer | undefined = taken.rest; rest !== undefined && !reader.done; rest = next()) {
    reader.take(rest, (data) => (body += data.toString('latin1')));
  }
  const lines: string[] = [];
  const isDropped = droppedByGo(head);
  head.headers.forEach((name, value) => {
    if (!isDropped(name)) lines.push(`${name}: ${value}`);
  });
  return JSON.stringify([head.statusCode, lines.sort(), body, ...(reader.end() ? [] : ['incomplete body'])]);
}

/** Go keeps trailers apart from the headers, and drops `Connection` of a response that closes it. */
function droppedByGo({ headers, isHttp11 }: ResponseHead): (name: string) => boolean {
  const closes = isHttp11 && listedNames(headers.get('connection')).has('close');
  return (name) => name === 'trailer' || (closes && name === 'connection');
}

/** The outcome, which does not depend on the pieces that the bytes come in. */
function outcomeOf(bytes: Buffer): string {
  const whole = orError(() => read(bytes, Math.max(1, bytes.length)), [MalformedResponse]);
  const inPieces = orError(() => read(bytes, 5), [MalformedResponse]);
  const [outcome, other] = [whole, inPieces].map((one) => (one instanceof Error ? 'malformed' : one));
  if (outcome !== other) throw new Error(`in pieces it is read as ${other}, as a whole as ${outcome}`);
  return outcome!;
}

const isRefused = (outcome: string): boolean => outcome === 'incomplete' || outcome === 'malformed';

/** The order of the checks decides whether a head is malformed before it ends, or its body before it began. */
const bothRefuse = (actual: string, expected: string): boolean =>
  isRefused(actual) && (isRefused(expected) || expected.endsWith('"incomplete body"]'));

const words = [
  '\r\n',
  '\r\n\r\n',
  'HTTP/1.1 ',
  'HTTP/1.0 ',
  'Transfer-Encoding',
  'chunked',
  'Content-Length: ',
  'Connection: close',
  'Trailer: ',
  '0\r\n\r\n',
  ': ',
  '\n ',
];

/** Throws where Node's parser accepts a response that this one refuses or reads as another one. */
function compareWithNode(input: Uint8Array, ours: string, nodes: NodeOutcome): void {
  if ('refusedWith' in nodes || isReadOtherwise(input, ours)) return;
  const { statusCode, body, isComplete } = nodes;
  const theirs = JSON.stringify([statusCode, body, isComplete]);
  if (isRefused(ours)) throw new Error(`it is ${ours}, and Node reads ${theirs}`);
  const [status, , text, problem] = JSON.parse(ours) as [number, string[], string, string?];
  const read = JSON.stringify([status, text, problem === undefined]);
  if (read !== theirs) throw new Error(`it is read as ${read}, and by Node as ${theirs}`);
}

/**
 * Node skips line ends before the status line and interim responses, and reads chunks in HTTP/1.0. It reads a body in
 * another coding, or with a tab behind `chunked`, up to the end of the connection. Here all of it is as in Go.
 */
function isReadOtherwise(input: Uint8Array, ours: string): boolean {
  const text = Buffer.from(input).toString('latin1');
  if (/^[\r\n]|^HTTP\/1\.0|^HTTP\/1\.1 +1|chunked\t/i.test(text)) return true;
  return isRefused(ours) && /\nTransfer-Encoding:/i.test(text);
}

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'http-response-node',
    seeds: heads,
    dictionary: words,
    maxBytes: 512,
    async run(input) {
      compareWithNode(input, outcomeOf(Buffer.from(input)), await readWithNode(input));
    },
  },
  {
    name: 'http-response',
    go: 'http-response',
    // Only this parser refuses a stray carriage return.
    deviates: (actual, expected, input) =>
      bothRefuse(actual, expected) ||
      (isRefused(actual) && /\r[^\n]/.test(Buffer.from(input).toString('latin1'))),
    seeds: heads,
    dictionary: words,
    maxBytes: 1024,
    run(input) {
      const outcome = outcomeOf(Buffer.from(input));
      // Go decodes UTF-8, and here one character is one byte.
      return input.some((byte) => byte > 0x7f) ? undefined : outcome;
    },
  },
];
