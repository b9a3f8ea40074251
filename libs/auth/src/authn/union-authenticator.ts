import { mapMaybePromise } from '@annex/runtime';
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from './anonymous-authenticator.ts';
import {
  type Attempt,
  type Authenticated,
  type Authenticator,
  type Credentials,
  CredentialsError,
} from '../types.ts';

/**
 * Runs authenticators in order; the first user is the result, with the group `system:authenticated` added. If
 * none returns a user and any refused, the request is refused: invalid credentials do not make a user
 * anonymous. `last` authenticates the remaining requests.
 */
export function unionAuthenticator(list: readonly Authenticator[], last?: Authenticator): Authenticator {
  const completed = new WeakMap<Authenticated, Authenticated>();
  const complete = (result: Authenticated): Authenticated => {
    let done = completed.get(result);
    if (done === undefined) completed.set(result, (done = withAuthenticatedGroup(result)));
    return done;
  };
  const noteLast = (credentials: Credentials) => (others: Authenticated | undefined) => {
    if (last) note(credentials, { authenticator: last.name, outcome: others ? 'authenticated' : 'passed' });
    return others;
  };
  const settle = (result: Authenticated | undefined, credentials: Credentials) =>
    result === undefined
      ? mapMaybePromise(last?.authenticate(credentials), noteLast(credentials))
      : complete(result);
  return {
    name: [...list, ...(last ? [last] : [])].map((authenticator) => authenticator.name).join(','),
    authenticate(credentials) {
      return mapMaybePromise(new Round(list, credentials).next(0), (result) => settle(result, credentials));
    },
  };
}

/**
 * One run of the authenticators for a request. Returns no promise if all of them finish synchronously, which
 * is the common case.
 */
class Round {
  readonly #list: readonly Authenticator[];
  readonly #credentials: Credentials;
  #presented: Credentials;
  #refusals: CredentialsError[] | undefined;

  constructor(list: readonly Authenticator[], credentials: Credentials) {
    this.#list = list;
    this.#credentials = this.#presented = credentials;
  }

  /**
   * Runs the authenticators from this index on. Throws {@link CredentialsError} if none returns a user and
   * any refused.
   */
  next(from: number): Promise<Authenticated | undefined> | Authenticated | undefined {
    for (let i = from; i < this.#list.length; i++) {
      const authenticator = this.#list[i] as Authenticator;
      const refusal = authenticator.refusal?.(this.#presented);
      if (refusal !== undefined) {
        this.#refuse(authenticator, refusal);
        continue;
      }
      try {
        const result = authenticator.authenticate(this.#presented);
        if (result instanceof Promise) return this.#await(result, i);
        if (this.#take(authenticator, result)) return result;
      } catch (error) {
        this.#refuse(authenticator, error);
      }
    }
    return this.#end();
  }

  async #await(result: Promise<Authenticated | undefined>, at: number): Promise<Authenticated | undefined> {
    const authenticator = this.#list[at] as Authenticator;
    try {
      const settled = await result;
      if (this.#take(authenticator, settled)) return settled;
    } catch (error) {
      this.#refuse(authenticator, error);
    }
    return await this.next(at + 1);
  }

  #take(authenticator: Authenticator, result: Authenticated | undefined): boolean {
    note(this.#credentials, result === undefined ? passed(authenticator) : authenticated(result));
    return result !== undefined;
  }

  #refuse({ name }: Authenticator, error: unknown): void {
    if (!(error instanceof CredentialsError)) throw error;
    note(this.#credentials, { authenticator: name, outcome: 'refused', why: error.message });
    (this.#refusals ??= []).push(error);
    if (error.spendsCertificate) this.#presented = { ...this.#presented, peerCertificate: undefined };
  }

  #end(): undefined {
    if (this.#refusals === undefined) return undefined;
    if (this.#refusals.length === 1) throw this.#refusals[0];
    throw new CredentialsError(`[${this.#refusals.map((refusal) => refusal.message).join(', ')}]`);
  }
}

function note({ attempts }: Credentials, attempt: Attempt): void {
  attempts?.push(attempt);
}

const passed = once(({ name, takes }: Authenticator): Attempt => ({
  authenticator: name,
  outcome: 'passed',
  ...(takes === undefined ? {} : { why: `found no ${takes}` }),
}));

const authenticated = once(({ by }: Authenticated): Attempt => ({
  authenticator: by,
  outcome: 'authenticated',
}));

/** Caches the result of a function per object, so that traces share it between requests. */
function once<T extends object, R extends object>(of: (key: T) => R): (key: T) => R {
  const known = new WeakMap<T, R>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = Object.freeze(of(key))));
    return value;
  };
}

function withAuthenticatedGroup(result: Authenticated): Authenticated {
  const { user } = result;
  const settled = (group: string) => group === authenticatedGroup || group === unauthenticatedGroup;
  if (user.name === anonymousUser || user.groups.some(settled)) return result;
  return { ...result, user: { ...user, groups: [...user.groups, authenticatedGroup] } };
}
