import { atOnce } from '@annex/runtime';
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from './anonymous-authenticator.ts';
import {
  type Attempt,
  type Authenticated,
  type Authenticator,
  type Credentials,
  CredentialsError,
} from '../types.ts';

/**
 * Asks authenticators in order; the first user counts, and gets the group `system:authenticated`. Where none has one and
 * any refused, the request is refused: bad credentials do not make anybody anonymous. `last` answers the rest.
 */
export function unionAuthenticator(list: readonly Authenticator[], last?: Authenticator): Authenticator {
  const completed = new WeakMap<Authenticated, Authenticated>();
  const complete = (answer: Authenticated): Authenticated => {
    let done = completed.get(answer);
    if (done === undefined) completed.set(answer, (done = withAuthenticatedGroup(answer)));
    return done;
  };
  const noteLast = (credentials: Credentials) => (others: Authenticated | undefined) => {
    if (last) note(credentials, { authenticator: last.name, outcome: others ? 'authenticated' : 'passed' });
    return others;
  };
  const settle = (answer: Authenticated | undefined, credentials: Credentials) =>
    answer === undefined ? atOnce(last?.authenticate(credentials), noteLast(credentials)) : complete(answer);
  return {
    name: [...list, ...(last ? [last] : [])].map((authenticator) => authenticator.name).join(','),
    authenticate(credentials) {
      return atOnce(new Round(list, credentials).next(0), (answer) => settle(answer, credentials));
    },
  };
}

/** The authenticators asked about one request. Without a promise where all answer at once, as most requests have it. */
class Round {
  readonly #list: readonly Authenticator[];
  readonly #credentials: Credentials;
  #presented: Credentials;
  #refusals: CredentialsError[] | undefined;

  constructor(list: readonly Authenticator[], credentials: Credentials) {
    this.#list = list;
    this.#credentials = this.#presented = credentials;
  }

  /** Asks from this one on. Throws {@link CredentialsError} where nobody knows the user and any refused. */
  next(from: number): Promise<Authenticated | undefined> | Authenticated | undefined {
    for (let i = from; i < this.#list.length; i++) {
      const authenticator = this.#list[i] as Authenticator;
      const refusal = authenticator.refusal?.(this.#presented);
      if (refusal !== undefined) {
        this.#refuse(authenticator, refusal);
        continue;
      }
      try {
        const answer = authenticator.authenticate(this.#presented);
        if (answer instanceof Promise) return this.#await(answer, i);
        if (this.#take(authenticator, answer)) return answer;
      } catch (error) {
        this.#refuse(authenticator, error);
      }
    }
    return this.#end();
  }

  async #await(answer: Promise<Authenticated | undefined>, at: number): Promise<Authenticated | undefined> {
    const authenticator = this.#list[at] as Authenticator;
    try {
      const settled = await answer;
      if (this.#take(authenticator, settled)) return settled;
    } catch (error) {
      this.#refuse(authenticator, error);
    }
    return await this.next(at + 1);
  }

  #take(authenticator: Authenticator, answer: Authenticated | undefined): boolean {
    note(this.#credentials, answer === undefined ? passed(authenticator) : authenticated(answer));
    return answer !== undefined;
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

/** What a function says of an object, asked once: traces remember it for each request. */
function once<T extends object, R extends object>(of: (key: T) => R): (key: T) => R {
  const known = new WeakMap<T, R>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = Object.freeze(of(key))));
    return value;
  };
}

function withAuthenticatedGroup(answer: Authenticated): Authenticated {
  const { user } = answer;
  const settled = (group: string) => group === authenticatedGroup || group === unauthenticatedGroup;
  if (user.name === anonymousUser || user.groups.some(settled)) return answer;
  return { ...answer, user: { ...user, groups: [...user.groups, authenticatedGroup] } };
}
