import {
  anonymousAuthenticator,
  type Authenticator,
  bearerTokenAuthenticator,
  delegatedTokens,
  unionAuthenticator,
} from '@annex/auth';
import { type Client, Informer } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { type Logger, OperatorError } from '@annex/runtime';
import type { LiveTrust } from './live-trust.ts';
import { type AuthenticationData, withReplacements, publishedAuthenticators } from './trusted-proxies.ts';

/** Dependencies of {@link DelegatedIdentities}. */
export interface IdentitiesOptions {
  client: Client;
  log: Logger;
  /** Milliseconds that the user of a valid token is cached. */
  tokenTtl: number;
  /** Replaces keys of the ConfigMap. */
  trust: LiveTrust;
  /** Milliseconds that the start waits for the API server. */
  startTimeout: number;
}

const namespace = 'kube-system';
const configMap = 'extension-apiserver-authentication';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const hint =
  'bind the Role extension-apiserver-authentication-reader in kube-system to the user of the kubeconfig';

/**
 * Authenticates clients by the configuration of the API server. Request headers of its proxy and client
 * certificates are verified by the CAs in the current ConfigMap `extension-apiserver-authentication`. Tokens
 * are verified by TokenReviews.
 */
export class DelegatedIdentities {
  readonly name = 'authentication';
  readonly authenticator: Authenticator;
  readonly #options: IdentitiesOptions;
  readonly #tokens: Authenticator;
  readonly #informer: Informer;
  readonly #stopped = Promise.withResolvers<void>();
  #current: Authenticator;
  #published: AuthenticationData = {};
  #lastError: unknown;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
    const { client, tokenTtl } = options;
    this.#tokens = bearerTokenAuthenticator([delegatedTokens({ client, cachedForMs: tokenTtl })]);
    this.#current = unionAuthenticator([this.#tokens], anonymousAuthenticator);
    this.authenticator = {
      name: 'delegated',
      authenticate: (credentials) => this.#current.authenticate(credentials),
    };
    const use = (object: KubeObject) => this.#use((object.data ?? {}) as AuthenticationData);
    this.#informer = new Informer(
      client,
      path,
      {
        added: use,
        modified: use,
        deleted: () => this.#use({}),
        failed: (error) => {
          this.#lastError = error;
          options.log.warn(`cannot follow the ConfigMap ${namespace}/${configMap}; ${hint}`, { error });
        },
      },
      { fieldSelector: `metadata.name=${configMap}` },
    );
    options.trust.onChange(() => this.#use(this.#published));
  }

  /** Resolves when the ConfigMap is loaded, or at the stop. Throws OperatorError API_SERVER_UNUSABLE. */
  async start(): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const why = this.#lastError instanceof Error ? this.#lastError.message : 'no answer';
      const message = `cannot read the ConfigMap ${namespace}/${configMap}: ${why}; ${hint}`;
      late.reject(new OperatorError('API_SERVER_UNUSABLE', message, { cause: this.#lastError }));
    }, this.#options.startTimeout);
    try {
      await Promise.race([this.#informer.start(), this.#stopped.promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): Promise<void> {
    this.#stopped.resolve();
    return this.#informer.stop();
  }

  #use(data: AuthenticationData): void {
    try {
      const published = publishedAuthenticators(withReplacements(data, this.#options.trust.current()));
      this.#published = data;
      this.#current = unionAuthenticator([...published, this.#tokens], anonymousAuthenticator);
    } catch (error) {
      // The previous CAs stay in use.
      this.#options.log.error(`cannot use the ConfigMap ${namespace}/${configMap}`, { error });
    }
  }
}
