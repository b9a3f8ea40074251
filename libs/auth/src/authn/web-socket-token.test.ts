import { describe, expect, it } from 'vitest';
import { offeredProtocols, webSocketToken } from './web-socket-token.ts';

const prefix = 'base64url.bearer.authorization.k8s.io.';

describe('the bearer token among the protocols of a WebSocket', () => {
  it.each([
    ['is decoded', `${prefix}YWJj,v4.channel.k8s.io`, 'abc'],
    ['may be at any position', `v4.channel.k8s.io , ${prefix}YWJj`, 'abc'],
    ['may be beside an empty protocol', `${prefix}YWJj,`, 'abc'],
    ['is not there', 'v4.channel.k8s.io', undefined],
    ['is absent if it is empty', `${prefix},v4`, undefined],
    ['is not there in another case', `${prefix.toUpperCase()}YWJj,v4`, undefined],
  ])('%s', (_what, header, token) => expect(webSocketToken(offeredProtocols(header))).toBe(token));

  it.each([
    ['alone', `${prefix}YWJj`, 'missing additional subprotocol'],
    ['twice', `${prefix}YWJj,${prefix}YWJj,v4`, 'multiple base64.bearer.authorization tokens specified'],
    [
      'twice, once empty',
      `${prefix},${prefix}YWJj,v4`,
      'multiple base64.bearer.authorization tokens specified',
    ],
    ['in another alphabet', `${prefix}YW+/,v4`, 'invalid base64.bearer.authorization token encoding'],
    ['with padding', `${prefix}YWI=,v4`, 'invalid base64.bearer.authorization token encoding'],
    ['cut off', `${prefix}YWJjZ,v4`, 'invalid base64.bearer.authorization token encoding'],
    ['that is not a text', `${prefix}_w,v4`, 'invalid base64.bearer.authorization token'],
  ])('is refused %s', (_what, header, message) => {
    expect(() => webSocketToken(offeredProtocols(header))).toThrow(
      expect.objectContaining({ name: 'CredentialsError', message }) as Error,
    );
  });
});
