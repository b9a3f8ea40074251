import { deepEqual, type FieldError, fieldErrors, fieldErrorsText } from '@annex/machinery';
import type { Clock, LiveText, Logger } from '@annex/runtime';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { Authenticated } from '../types.ts';
import { compileConfiguration, type CompiledJwt } from './compile-configuration.ts';
import type { AnonymousConfiguration, AuthenticationConfiguration } from './configuration.ts';
import { ConfigurationError } from '../configuration-file.ts';
import { decodeConfiguration } from './decode-configuration.ts';
import { JwtAuthenticator } from './jwt-authenticator.ts';

/** What authenticators of a configuration are made with. */
export interface ConfiguredTokensOptions {
  algorithms: readonly string[];
  /** Issuers that no configuration may name: those of this server's own tokens. */
  disallowedIssuers: readonly string[];
  clock: Pick<Clock, 'now' | 'sleep'>;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** How long a changed configuration waits for its issuers, and how long the one before lives on for requests that run. */
const patienceMs = 60_000;

/** The tokens that an AuthenticationConfiguration knows, which may change while the server runs. */
export class ConfiguredTokens implements TokenAuthenticator {
  readonly name = 'jwt';
  /** Does not change: kube-apiserver reads it once. */
  readonly anonymous: AnonymousConfiguration | undefined;
  readonly #options: ConfiguredTokensOptions;
  readonly #alive = new Set<JwtAuthenticator>();
  #current: readonly JwtAuthenticator[];
  #changes = 0;

  /** Throws {@link ConfigurationError} where a configuration does not hold. */
  constructor(configuration: AuthenticationConfiguration, options: ConfiguredTokensOptions) {
    this.#options = options;
    this.anonymous = configuration.anonymous;
    this.#current = this.#made(this.#compiled(configuration));
  }

  /** Begins to look for the issuers, and to follow the file of the configuration, where there is one. */
  start(file?: LiveText): void {
    for (const { issuer } of this.#current) void this.#connect(issuer);
    file?.onChange(() => void this.#change(file.current()));
  }

  stop(): void {
    for (const one of this.#alive) one.stop();
    this.#alive.clear();
  }

  async authenticateToken(token: string): Promise<Authenticated | undefined> {
    for (const authenticator of this.#current) {
      const answer = await authenticator.authenticateToken(token);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  #compiled(configuration: AuthenticationConfiguration, more: readonly FieldError[] = []): CompiledJwt[] {
    const { compiled, errors } = compileConfiguration(configuration, this.#options.disallowedIssuers);
    const all = [...errors, ...more];
    if (all.length > 0) {
      throw new ConfigurationError(`invalid authentication configuration: ${fieldErrorsText(all)}`);
    }
    const egress = configuration.jwt.find(({ issuer }) => issuer.egressSelectorType !== '');
    if (egress !== undefined) {
      const type = egress.issuer.egressSelectorType;
      throw new ConfigurationError(`oidc: egress lookup required with egress selector type "${type}"`);
    }
    return compiled;
  }

  #made(compiled: readonly CompiledJwt[]): JwtAuthenticator[] {
    const { algorithms, clock } = this.#options;
    const made = compiled.map((jwt) => new JwtAuthenticator(jwt, algorithms, clock));
    for (const one of made) this.#alive.add(one);
    return made;
  }

  #connect(issuer: JwtAuthenticator['issuer']): Promise<void> {
    return issuer.connect((error) =>
      this.#options.log.warn('an issuer of tokens is not there yet', { issuer: issuer.url, error }),
    );
  }

  /** Takes a new configuration when its issuers are there; the one before counts until then. */
  async #change(text: string): Promise<void> {
    const { clock, log } = this.#options;
    const change = ++this.#changes;
    let next: readonly JwtAuthenticator[] = [];
    try {
      const configuration = await decodeConfiguration(text);
      const same = deepEqual(configuration.anonymous as never, this.anonymous as never);
      const at = 'anonymous';
      const errors = same ? [] : [fieldErrors.forbidden(at, 'changed from initial configuration file')];
      next = this.#made(this.#compiled(configuration, errors));
      const connected = Promise.all(next.map(({ issuer }) => this.#connect(issuer)));
      await Promise.race([connected, clock.sleep(patienceMs)]);
      const problems = next.flatMap(({ issuer }) => issuer.problem ?? []);
      if (problems.length > 0) throw new ConfigurationError(problems.join(', '));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      this.#end(next);
      log.warn('a changed authentication configuration was not taken', { error });
      return;
    }
    // A later change was faster.
    if (change !== this.#changes) return this.#end(next);
    const before = this.#current;
    this.#current = next;
    log.info('the authentication configuration has changed');
    await clock.sleep(patienceMs);
    this.#end(before);
  }

  #end(authenticators: readonly JwtAuthenticator[]): void {
    for (const one of authenticators) {
      one.stop();
      this.#alive.delete(one);
    }
  }
}
