import { deepEqual, type FieldError, fieldErrors, fieldErrorsText } from '@annex/machinery';
import type { Clock, EgressSelector, EgressType, LiveText, Logger, Metrics } from '@annex/runtime';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { Authenticated } from '../types.ts';
import { compileConfiguration, type CompiledJwt } from './compile-configuration.ts';
import type { AnonymousConfiguration, AuthenticationConfiguration } from './configuration.ts';
import { ConfigurationError } from '../configuration-file.ts';
import { type ConfigurationReloads, configurationReloads } from '../configuration-reloads.ts';
import { decodeConfiguration } from './decode-configuration.ts';
import { JwtAuthenticator } from './jwt-authenticator.ts';

/** The dependencies of the authenticators of a configuration. */
export interface ConfiguredTokensOptions {
  algorithms: readonly string[];
  /** Issuers that no configuration may name: those of this server's own tokens. */
  disallowedIssuers: readonly string[];
  clock: Pick<Clock, 'now' | 'sleep'>;
  log: Pick<Logger, 'info' | 'warn'>;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  /** Reaches issuers with an `egressSelectorType`. */
  egress?: EgressSelector | undefined;
}

/** An issuer of a configuration that was not reachable. */
class UnreachableError extends Error {}

/**
 * How long a changed configuration waits for its issuers, and how long the previous one stays open for
 * running requests.
 */
const switchMs = 60_000;

/** Authenticates the tokens of an AuthenticationConfiguration, which may change while the server runs. */
export class ConfiguredTokens implements TokenAuthenticator {
  readonly name = 'jwt';
  /** Does not change: kube-apiserver reads it once. */
  readonly anonymous: AnonymousConfiguration | undefined;
  readonly #options: ConfiguredTokensOptions;
  readonly #alive = new Set<JwtAuthenticator>();
  #current: readonly JwtAuthenticator[];
  #changes = 0;
  #isStopped = false;

  /** Throws {@link ConfigurationError} if the configuration is invalid. */
  constructor(configuration: AuthenticationConfiguration, options: ConfiguredTokensOptions) {
    this.#options = options;
    this.anonymous = configuration.anonymous;
    this.#current = this.#made(this.#compiled(configuration));
  }

  /** Connects to the issuers, and follows the configuration file if there is one. */
  start(file?: LiveText): void {
    for (const { issuer } of this.#current) void this.#connect(issuer);
    if (file === undefined) return;
    const { clock, metrics } = this.#options;
    const reloads = configurationReloads('authentication', metrics, clock);
    reloads.loaded(file.current());
    file.onUnreadable?.(() => reloads.failed());
    file.onChange(() => void this.#follow(file.current(), reloads));
  }

  stop(): void {
    this.#isStopped = true;
    this.#changes++;
    for (const one of this.#alive) one.stop();
    this.#alive.clear();
  }

  async authenticateToken(token: string): Promise<Authenticated | undefined> {
    for (const authenticator of this.#current) {
      const result = await authenticator.authenticateToken(token);
      if (result !== undefined) return result;
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
    if (egress !== undefined && this.#options.egress === undefined) {
      const type = egress.issuer.egressSelectorType;
      throw new ConfigurationError(`oidc: egress lookup required with egress selector type "${type}"`);
    }
    return compiled;
  }

  #made(compiled: readonly CompiledJwt[]): JwtAuthenticator[] {
    const { algorithms, clock, egress } = this.#options;
    const made = compiled.map((jwt) => {
      const type = jwt.configuration.issuer.egressSelectorType as EgressType | '';
      return new JwtAuthenticator(jwt, algorithms, clock, type === '' ? undefined : egress?.dialerFor(type));
    });
    for (const one of made) this.#alive.add(one);
    return made;
  }

  #connect(issuer: JwtAuthenticator['issuer']): Promise<void> {
    return issuer.connect((error) =>
      this.#options.log.warn('a token issuer is not available yet', { issuer: issuer.url, error }),
    );
  }

  /** Applies a changed text. If its issuers are unavailable, it tries again until the next change. */
  async #follow(text: string, reloads: ConfigurationReloads): Promise<void> {
    const change = ++this.#changes;
    while (change === this.#changes) {
      try {
        if (await this.#change(text, change)) reloads.reloaded(text);
        return;
      } catch (error) {
        this.#options.log.warn('a changed authentication configuration was rejected', { error });
        reloads.failed();
        if (!(error instanceof UnreachableError)) return;
      }
      await this.#options.clock.sleep(switchMs);
    }
  }

  /**
   * Switches to a new configuration when its issuers are available; the previous one serves until then. False
   * if another change came first.
   */
  async #change(text: string, change: number): Promise<boolean> {
    const { clock, log } = this.#options;
    const configuration = await decodeConfiguration(text);
    const same = deepEqual(configuration.anonymous as never, this.anonymous as never);
    const errors = same
      ? []
      : [fieldErrors.forbidden('anonymous', 'changed from initial configuration file')];
    const next = this.#made(this.#compiled(configuration, errors));
    const connected = Promise.all(next.map(({ issuer }) => this.#connect(issuer)));
    await Promise.race([connected, clock.sleep(switchMs)]);
    const problems = next.flatMap(({ issuer }) => issuer.problem ?? []);
    if (change !== this.#changes || this.#isStopped || problems.length > 0) this.#end(next);
    if (change !== this.#changes || this.#isStopped) return false;
    if (problems.length > 0) throw new UnreachableError(problems.join(', '));
    const before = this.#current;
    this.#current = next;
    log.info('the authentication configuration has changed');
    void clock.sleep(switchMs).then(() => this.#end(before));
    return true;
  }

  #end(authenticators: readonly JwtAuthenticator[]): void {
    for (const one of authenticators) {
      one.stop();
      this.#alive.delete(one);
    }
  }
}
