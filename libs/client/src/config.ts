import { type Dial, OperatorError } from '@annex/runtime';

/** The address of an API server, its CA, and the client's credentials. Certificates and keys are PEM. */
export interface ClientConfig {
  /** `https://host:port` with an optional path; `http` is supported too. */
  server: string;
  /** The CA of the server; default: the system roots. */
  ca?: string;
  /** The name in the server's certificate, if it is not the host of the URL. */
  tlsServerName?: string;
  /** Disables the verification of the server certificate. */
  insecureSkipTlsVerify?: boolean;
  /** The client certificate, with `key`. */
  cert?: string;
  key?: string;
  /** The files that `ca`, `cert` and `key` were read from. When they change, requests use new connections with their content. */
  tlsFiles?: { ca?: string; cert?: string; key?: string };
  /**
   * The URL of a proxy: `http`, `https`, `socks5` or `socks5h`, with credentials if it requires them. It resolves the name of the
   * server. Default: that of `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`, except for servers on this machine and in `NO_PROXY`.
   */
  proxyUrl?: string;
  /** Opens the connections to the server, unless there is a `proxyUrl`. The environment does not apply to them. */
  dial?: Dial | undefined;
  /** A bearer token; a function is called for each request. */
  token?: string | (() => string | undefined);
  /** `Basic` credentials. */
  username?: string;
  password?: string;
  /** The user to impersonate. */
  impersonate?: {
    user: string;
    uid?: string;
    groups?: readonly string[];
    extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The namespace of the context. */
  namespace?: string;
  userAgent?: string;
  /**
   * `h2` multiplexes all requests and watches over one connection; for servers that support it. Default
   * http/1.1.
   */
  protocol?: 'http/1.1' | 'h2';
}

/** An invalid configuration; the message says what to change. */
export class ClientConfigError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super('KUBECONFIG_UNUSABLE', message, options);
    this.name = 'ClientConfigError';
  }
}
