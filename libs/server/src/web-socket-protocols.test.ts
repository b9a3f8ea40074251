import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { takeWebSocketProtocols } from './web-socket-protocols.ts';

const token = 'base64url.bearer.authorization.k8s.io.YWJj';

/** Headers in Node's form. */
function received(...lines: [name: string, value: string][]): IncomingMessage {
  const values = lines.filter(([name]) => /^sec-websocket-protocol$/i.test(name)).map(([, value]) => value);
  const headers = values.length > 0 ? { 'sec-websocket-protocol': values.join(', ') } : {};
  return { headers, rawHeaders: lines.flat() } as unknown as IncomingMessage;
}

describe('the token among the protocols of a WebSocket', () => {
  it.each([
    ['is removed from headers and raw headers', [['Sec-WebSocket-Protocol', `${token}, v4`]], ['v4']],
    [
      'is removed from every line, case-insensitively',
      [
        ['sec-websocket-protocol', 'v4'],
        ['A', 'b'],
        ['SEC-WEBSOCKET-PROTOCOL', `v5,${token}`],
      ],
      ['v4,v5'],
    ],
    ['leaves no header if it is the only protocol', [['Sec-WebSocket-Protocol', token]], []],
    ['is removed if it is sent twice', [['Sec-WebSocket-Protocol', `${token},${token},v4`]], ['v4']],
    [
      'is removed in quotes, in other case, and after other spaces',
      [['Sec-WebSocket-Protocol', `"${token}",${token.toUpperCase()},\u00a0${token},v4`]],
      ['v4'],
    ],
    ['is removed if it is invalid', [['Sec-WebSocket-Protocol', `${token}=,v4`]], ['v4']],
  ] as [string, [string, string][], string[]][])('%s', (_what, lines, left) => {
    const req = received(...lines);
    const offered = takeWebSocketProtocols(req);
    expect(offered?.join()).toContain(token);
    expect(Object.values(req.headers)).toEqual(left);
    expect(
      req.rawHeaders.filter((_, i) => /^sec-websocket-protocol$/i.test(req.rawHeaders[i - 1] ?? '')),
    ).toEqual(left);
    expect(req.rawHeaders.includes('A')).toBe(lines.some(([name]) => name === 'A'));
  });

  it('leaves other protocols as they were sent', () => {
    const req = received(['Sec-WebSocket-Protocol', 'v4 ,v5']);
    expect(takeWebSocketProtocols(req)).toEqual(['v4', 'v5']);
    expect(req).toEqual(received(['Sec-WebSocket-Protocol', 'v4 ,v5']));
    expect(takeWebSocketProtocols(received(['A', 'b']))).toBeUndefined();
  });
});
