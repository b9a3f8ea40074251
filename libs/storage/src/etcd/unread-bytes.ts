import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { tooManyRequests } from './failures.ts';

type Call = Parameters<ServerInterceptor>[1];
type Start = Parameters<ServerInterceptingCall['start']>[0];

const rangePath = '/etcdserverpb.KV/Range';

/** Counts the bytes of lists that wait in this process for slow clients. */
export class UnreadBytes {
  readonly #max: number;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws CallFailure while too many bytes are waiting. */
  check(): void {
    if (this.#bytes >= this.#max) throw tooManyRequests();
  }

  /** Counts the responses of a server. */
  readonly interceptor: ServerInterceptor = (method, call) =>
    method.path === rangePath
      ? new CountedCall(call, (bytes) => (this.#bytes += bytes))
      : // Other responses are small, and a wrapper has a cost per call.
        (call as ServerInterceptingCall);
}

class CountedCall extends ServerInterceptingCall {
  readonly #add: (bytes: number) => void;
  #counted = 0;

  constructor(call: Call, add: (bytes: number) => void) {
    super(call);
    this.#add = add;
  }

  override start(listener: Start): void {
    const onCancel = () => {
      this.#release();
      listener.onCancel();
    };
    super.start({
      onReceiveMetadata: (metadata) => listener.onReceiveMetadata(metadata),
      onReceiveMessage: (message: unknown) => listener.onReceiveMessage(message),
      onReceiveHalfClose: () => listener.onReceiveHalfClose(),
      onCancel,
    });
  }

  override sendMessage(message: Buffer, callback: () => void): void {
    this.#counted = message.byteLength;
    this.#add(this.#counted);
    super.sendMessage(message, () => {
      this.#release();
      callback();
    });
  }

  #release(): void {
    this.#add(-this.#counted);
    this.#counted = 0;
  }
}
