import type { IncomingHttpHeaders } from 'node:http2';
import { GrpcError, grpcStatus } from './status.ts';

/** Why a request is refused before its method is called, as grpc-go does. */
export class RequestError extends GrpcError {
  override name = 'RequestError';
  /** The status of HTTP. */
  readonly httpStatus: number;

  constructor(httpStatus: number, code: number, message: string) {
    super(code, message);
    this.httpStatus = httpStatus;
  }
}

const quoted = (text: string): string => JSON.stringify(text);

const contentType = 'application/grpc';

/** Throws RequestError for the headers of a request that is no call of a method, such as `/ProxyService/Proxy`. */
export function checkRequest(headers: IncomingHttpHeaders, served: string): void {
  const {
    'content-type': type = '',
    'grpc-timeout': timeout,
    'grpc-encoding': encoding,
    ':method': verb,
  } = headers;
  const follows = type.toLowerCase().slice(contentType.length);
  if (!type.toLowerCase().startsWith(contentType) || !['', '+', ';'].includes(follows.charAt(0)))
    throw new RequestError(
      415,
      grpcStatus.INVALID_ARGUMENT,
      `invalid gRPC request content-type ${quoted(type)}`,
    );
  if (timeout !== undefined) callTimeoutMs(String(timeout));
  if (verb !== 'POST') {
    const message = `Received a HEADERS frame with :method ${quoted(verb ?? '')} which should be POST`;
    throw new RequestError(405, grpcStatus.INTERNAL, message);
  }
  const problem = methodProblem(headers[':path'] ?? '', served);
  if (problem !== undefined) throw new RequestError(200, grpcStatus.UNIMPLEMENTED, problem);
  if (encoding !== undefined && encoding !== 'identity') {
    const message = `grpc: Decompressor is not installed for grpc-encoding ${quoted(String(encoding))}`;
    throw new RequestError(200, grpcStatus.UNIMPLEMENTED, message);
  }
}

function methodProblem(path: string, served: string): string | undefined {
  if (path === served) return undefined;
  const called = path.startsWith('/') ? path.slice(1) : path;
  const slash = called.lastIndexOf('/');
  if (slash < 0) return `malformed method name: ${quoted(path)}`;
  const service = called.slice(0, slash);
  return served.startsWith(`/${service}/`)
    ? `unknown method ${called.slice(slash + 1)} for service ${service}`
    : `unknown service ${service}`;
}

/** Milliseconds of the units of timeouts. Source: gRPC over HTTP/2, "Timeout". */
const units = new Map([
  ['H', 3_600_000],
  ['M', 60_000],
  ['S', 1_000],
  ['m', 1],
  ['u', 0.001],
  ['n', 0.000_001],
]);

/** Digits of a timeout, with its unit. */
const timeoutLength = 9;

/** Reads the header `grpc-timeout`. Throws RequestError. */
export function callTimeoutMs(text: string): number {
  const unit = units.get(text.slice(-1));
  const digits = text.slice(0, -1);
  const problem =
    text.length < 2
      ? `transport: timeout string is too short: ${quoted(text)}`
      : text.length > timeoutLength
        ? `transport: timeout string is too long: ${quoted(text)}`
        : unit === undefined
          ? `transport: timeout unit is not recognized: ${quoted(text)}`
          : /^\d*$/.test(digits)
            ? undefined
            : `strconv.ParseUint: parsing ${quoted(digits)}: invalid syntax`;
  if (problem !== undefined)
    throw new RequestError(400, grpcStatus.INTERNAL, `malformed grpc-timeout: ${problem}`);
  return Number(digits) * (unit ?? 0);
}
