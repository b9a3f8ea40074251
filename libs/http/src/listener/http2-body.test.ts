import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Http2Body } from './http2-body.ts';

it('the body of a request that was aborted fails, also where nobody reads it yet', async () => {
  const stream = new PassThrough();
  stream.destroy();
  await once(stream, 'close');
  const body = new Http2Body(stream as unknown as ServerHttp2Stream);
  await new Promise((resolve) => body.once('close', resolve));
  expect(body.errored).toMatchObject({ message: 'the client aborted its request', code: 'ECONNRESET' });
});
