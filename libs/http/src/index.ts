export { AbortedHandler } from './aborted-handler.ts';
export { dialErrorText, speaksNoTls } from './exchange/dial-error.ts';
export { type Endpoint, endpointOf, hostPort } from './exchange/endpoint.ts';
export {
  DialError,
  exchange,
  type Fetched,
  fetchStatus,
  fetchWhole,
  type Outgoing,
} from './exchange/exchange.ts';
export { type ProxyClientCertificate, backendCertificate, Transport } from './exchange/transport.ts';
export { type HeaderList, headerList, headerObject, listedNames } from './header-list.ts';
export { headerNameTest } from './header-name-test.ts';
export type { ResponseBody, BodySink } from './http1/response-body.ts';
export { MalformedResponse } from './http1/response-head.ts';
export type { BackendResponse, Information } from './http1/exchange.ts';
export { ClientConnection, livenessTimes } from './listener/connections.ts';
export { defaultMaxStreams } from './listener/listener-limits.ts';
export { createListener, type Listener, type ListenerOptions } from './listener/listener.ts';
export { peerCertificate } from './listener/peer-certificate.ts';
export { maxPipelinedRequests } from './listener/pipelining.ts';
export { readBody, refuseRest } from './listener/request-body.ts';
export { requestedUpgrade } from './listener/upgrade-request.ts';
export { FixedDelay } from './turns/fixed-delay.ts';
export { yieldIfHeld } from './turns/loop-turn.ts';
export { createPacer } from './turns/pacer.ts';
export { isBehind, unsentBytes } from './unsent-bytes.ts';
