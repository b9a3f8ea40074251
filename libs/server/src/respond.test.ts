import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createContext, type RequestContext } from '@annex/kinds';
import { maxWarningLength, maxWarningsLength, sendPieces, warningHeaders } from './respond.ts';

/** Serves a body in pieces; `piecesOf` returns those of a path. */
async function serve(piecesOf: (path: string) => Buffer[]): Promise<number> {
  const listener: RequestListener = (req, res) => {
    const body = { contentType: 'application/json', pieces: piecesOf(req.url!) };
    void sendPieces(createContext(req, res, 0), 200, body);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns the response to a client that accepts these encodings. */
async function responseTo(acceptEncoding: string, length: number) {
  const port = await serve(() => Array.from({ length: length / 1024 }, () => Buffer.alloc(1024, 'x')));
  const [res] = (await once(
    request({ port, headers: { 'Accept-Encoding': acceptEncoding } }).end(),
    'response',
  )) as [IncomingMessage];
  const body = await buffer(res);
  const encoding = res.headers['content-encoding'];
  return { encoding, body: encoding === 'gzip' ? gunzipSync(body) : body };
}

describe('bodies in pieces', () => {
  const long = 512 * 1024;
  it.each([
    ['long, with Accept-Encoding gzip', 'deflate, gzip', long, 'gzip'],
    ['long, without Accept-Encoding', 'identity', long, undefined],
    ['long, with another Accept-Encoding', 'gzip;q=0', long, undefined],
    ['short', 'gzip', 64 * 1024, undefined],
  ])('are compressed as in kube-apiserver: %s', async (_, accepted, length, encoding) => {
    const response = await responseTo(accepted, length);
    expect(response.encoding).toBe(encoding);
    expect(response.body).toEqual(Buffer.alloc(length, 'x'));
  });

  it('keep their content while others use the same buffers: slow readers, fast ones, and one that disconnects', async () => {
    const contentOf = (path: string) =>
      Array.from({ length: 3000 }, (_, i) => Buffer.from(`${path}:${i}\n`.repeat(100)));
    const port = await serve(contentOf);
    const read = async (path: string) => {
      const [res] = (await once(request({ port, path }).end(), 'response')) as [IncomingMessage];
      if (path === '/gone') return void res.once('data', () => res.destroy());
      const chunks: Buffer[] = [];
      for await (const chunk of res) {
        chunks.push(chunk as Buffer);
        if (path.startsWith('/slow')) await setImmediate();
      }
      expect(Buffer.concat(chunks).equals(Buffer.concat(contentOf(path)))).toBe(true);
    };
    await Promise.all(['/slow', '/gone', '/fast', '/slow-too', '/fast-too'].map(read));
  });
});

describe('warnings', () => {
  const headersOf = (warnings: string[]) => warningHeaders({ warnings } as unknown as RequestContext);
  const texts = (count: number, text: string) => Array.from({ length: count }, (_, i) => `${i}${text}`);

  it.each([
    ['that fit are unchanged', ['x'.repeat(maxWarningsLength)], [maxWarningsLength]],
    ['that are too long are truncated', ['x'.repeat(1e7), 'y'], [maxWarningLength, 1]],
    ['of two code units count once', ['\u{1F600}'.repeat(maxWarningsLength)], [2 * maxWarningsLength]],
  ])('%s', (_what, warnings, lengths) => {
    const inCharacters = headersOf(warnings).map(
      (line) => Buffer.from(line, 'latin1').toString().slice(7, -1).length,
    );
    expect(inCharacters).toEqual(lengths);
  });

  it('that are too many end after the maximum of characters', () => {
    expect(headersOf(texts(1_000_000, 'x'.repeat(maxWarningLength)))).toHaveLength(
      maxWarningsLength / maxWarningLength,
    );
  });
});
