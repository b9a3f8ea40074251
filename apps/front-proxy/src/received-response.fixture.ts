import { type ClientHttp2Session, constants, type OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ReceivedResponse, RecordedResponse } from './recorded-responses.fixture.ts';

type Request = NonNullable<RecordedResponse['request']>;

// Added by Node for its connections, or different each time.
const ownHeaders = /^(?:connection: keep-alive$|keep-alive:|date:)/;

const shown = (headers: Iterable<readonly [string, string]>, port: number): string[] =>
  [...headers]
    .map(([name, value]) => `${name}: ${value}`.replaceAll(`localhost:${port}`, 'HOST:EXT'))
    .map((line) => line.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'))
    .filter((line) => !ownHeaders.test(line))
    .sort();

/** Sends requests over HTTP/1.1; a connection is reused after a complete response. */
export class Http1Client {
  readonly #dial: () => Promise<TLSSocket>;
  readonly #idle: TLSSocket[] = [];

  constructor(dial: () => Promise<TLSSocket>) {
    this.#dial = dial;
  }

  async ask(path: string, extensionPort: number, request: Request = {}): Promise<ReceivedResponse> {
    const { method = 'GET', headers = [], body = '' } = request;
    const socket = this.#idle.pop() ?? (await this.#dial()).on('error', () => undefined);
    const length = body === '' ? [] : [`Content-Length: ${body.length}`];
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: front', ...headers, ...length, '', body];
    socket.write(lines.join('\r\n'), 'latin1');
    const received = await receive(socket, method, extensionPort);
    if (received.end === 'kept' && !received.headers?.includes('connection: close')) this.#idle.push(socket);
    else socket.destroy();
    return received;
  }

  close(): void {
    for (const socket of this.#idle) socket.destroy();
  }
}

function receive(socket: TLSSocket, method: string, port: number): Promise<ReceivedResponse> {
  let text = '';
  return new Promise((resolve) => {
    const finish = () => {
      socket.off('data', onData).off('close', finish);
      resolve(parse(text, method, port));
    };
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (parse(text, method, port).end === 'kept') finish();
    };
    socket.on('data', onData).once('close', finish);
  });
}

function parse(text: string, method: string, port: number): ReceivedResponse {
  const [head] = /^[^]*?\r\n\r\n/.exec(text) ?? [];
  if (head === undefined) return { end: 'closed' };
  const [status = '', ...lines] = head.slice(0, -4).split('\r\n');
  const fields = lines.map(field);
  const headers = shown(fields, port);
  const content = text.slice(head.length);
  const valueOf = (name: string) => fields.find(([other]) => other === name)?.[1];
  const code = Number(status.split(' ')[1]);
  if (method === 'HEAD' || code === 204 || code === 304) return { status, headers, body: '', end: 'kept' };
  if (valueOf('transfer-encoding') === 'chunked') return { status, headers, ...dechunk(content, port) };
  const length = Number(valueOf('content-length'));
  return {
    status,
    headers,
    body: content.slice(0, length),
    end: content.length >= length ? 'kept' : 'closed',
  };
}

const field = (line: string): [string, string] => {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
};

function dechunk(text: string, port: number): Pick<ReceivedResponse, 'body' | 'trailers' | 'end'> {
  let body = '';
  for (let at = 0; ;) {
    const [line = '', size] = /^([0-9a-f]+)\r\n/i.exec(text.slice(at)) ?? [];
    if (size === undefined) return { body, end: 'closed' };
    at += line.length;
    const length = Number.parseInt(size, 16);
    if (length > 0) {
      body += text.slice(at, at + length);
      at += length + 2;
      continue;
    }
    const rest = text.slice(at);
    const trailers = shown(rest.split('\r\n').filter(Boolean).map(field), port);
    return {
      body,
      ...(trailers.length > 0 ? { trailers } : {}),
      end: /(?:^|\r\n)\r\n$/.test(rest) ? 'kept' : 'closed',
    };
  }
}

/** Sends requests over an HTTP/2 session. */
export async function askHttp2(
  session: ClientHttp2Session,
  path: string,
  extensionPort: number,
  { method = 'GET', headers = [], body }: Request = {},
): Promise<ReceivedResponse> {
  const sent: OutgoingHttpHeaders = {
    ':method': method,
    ':path': path,
    ...Object.fromEntries(headers.map(field)),
  };
  const stream = session.request(sent, { endStream: body === undefined });
  const received: ReceivedResponse = { end: '' };
  const pairs = (raw: readonly string[]) =>
    raw.flatMap((name, i) =>
      i % 2 === 1 || name.startsWith(':') ? [] : [[name, raw[i + 1] ?? ''] as const],
    );
  stream.on('response', (head, _flags, raw) => {
    Object.assign(received, {
      status: String(head[':status']),
      headers: shown(pairs(raw), extensionPort),
      body: '',
    });
  });
  stream.on('trailers', (_trailers, _flags, raw: string[]) => {
    received.trailers = shown(pairs(raw), extensionPort);
  });
  stream.on('data', (bytes: Buffer) => (received.body += bytes.toString('latin1')));
  stream.on('error', () => undefined);
  if (body !== undefined) stream.end(body);
  await new Promise((resolve) => stream.once('close', resolve));
  const { rstCode = 0 } = stream;
  return { ...received, end: rstCode === constants.NGHTTP2_NO_ERROR ? 'ended' : `reset ${rstCode}` };
}
