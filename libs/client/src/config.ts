/** Where an API server is, how it is recognized, and who asks. Certificates and keys are PEM. */
export interface ClientConfig {
  /** `https://host:port`, perhaps with a path; `http` is served too. */
  server: string;
  /** The CA of the server; the roots of the system where left out. */
  ca?: string;
  /** The name in the server's certificate, where it is not the host of the URL. */
  tlsServerName?: string;
  /** Talk to whoever answers. */
  insecureSkipTlsVerify?: boolean;
  /** The client certificate, with `key`. */
  cert?: string;
  key?: string;
  /** A bearer token; a function is asked for each request. */
  token?: string | (() => string | undefined);
  /** `Basic` credentials. */
  username?: string;
  password?: string;
  /** Who to act as. */
  impersonate?: {
    user: string;
    uid?: string;
    groups?: readonly string[];
    extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The namespace of the context. */
  namespace?: string;
  userAgent?: string;
  /** `h2` carries all requests and watches over one connection; for servers that are known to speak it. Default http/1.1. */
  protocol?: 'http/1.1' | 'h2';
}

/** A configuration that cannot be used; the message says what to change. */
export class ClientConfigError extends Error {
  override readonly name = 'ClientConfigError';
}
