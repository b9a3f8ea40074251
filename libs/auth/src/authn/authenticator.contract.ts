import { describe, expect, test } from 'vitest';
import { type Authenticator, type Credentials, CredentialsError, type UserInfo } from '../types.ts';

/** How the contract is run on an authenticator. */
export interface AuthenticatorContractOptions {
  open(): Authenticator | Promise<Authenticator>;
  /** Credentials of this authenticator's kind that hold, and whom they name. */
  good(): Promise<{ credentials: Credentials; user: Pick<UserInfo, 'name'> }>;
  /** Credentials of its kind that do not hold, each with what is wrong. */
  bad(): Promise<Record<string, Credentials>>;
  /** Credentials of other kinds; there is always a request without any. */
  foreign?(): Promise<Record<string, Credentials>>;
  /** Cases that this authenticator cannot pass, with the reason. They show as skipped; a name that is no case fails. */
  unsupported?: Readonly<Record<string, string>>;
}

type Case = (authenticator: Authenticator, options: AuthenticatorContractOptions) => Promise<void>;

const nothing: Credentials = { headers: {}, rawHeaders: [], peerCertificate: undefined };

const cases: Readonly<Record<string, Case>> = {
  'names the user of good credentials, and itself': async (authenticator, { good }) => {
    const { credentials, user } = await good();
    const answer = await authenticator.authenticate(credentials);
    expect(answer?.user).toMatchObject(user);
    expect(answer?.by).not.toBe('');
  },
  'says the same each time': async (authenticator, { good }) => {
    const { credentials } = await good();
    const first = await authenticator.authenticate(credentials);
    expect(await authenticator.authenticate(credentials)).toEqual(first);
  },
  'leaves it to the union to say who is authenticated': async (authenticator, { good }) => {
    const { credentials } = await good();
    expect((await authenticator.authenticate(credentials))?.user.groups).not.toContain(
      'system:authenticated',
    );
  },
  'writes extra keys in lower case': async (authenticator, { good }) => {
    const { credentials } = await good();
    const keys = Object.keys((await authenticator.authenticate(credentials))?.user.extra ?? {});
    expect(keys).toEqual(keys.map((key) => key.toLowerCase()));
  },
  'refuses bad credentials, each time': async (authenticator, { bad }) => {
    for (const [what, credentials] of Object.entries(await bad())) {
      for (let i = 0; i < 2; i++) {
        const refused = (async () => authenticator.authenticate(credentials))();
        await expect(refused, what).rejects.toBeInstanceOf(CredentialsError);
      }
    }
  },
  'has nothing to say of credentials of other kinds': async (authenticator, { foreign }) => {
    for (const [what, credentials] of Object.entries({ nothing, ...(await foreign?.()) })) {
      expect(await authenticator.authenticate(credentials), what).toBeUndefined();
    }
  },
};

/** Registers every case of the authenticator contract for one authenticator. */
export function authenticatorContract(name: string, options: AuthenticatorContractOptions): void {
  const { unsupported = {} } = options;
  describe(`authenticator contract: ${name}`, () => {
    for (const [title, run] of Object.entries(cases)) {
      const reason = unsupported[title];
      if (reason) test.skip(`${title} (skipped: ${reason})`, () => {});
      else test(title, async () => run(await options.open(), options));
    }
    test('the list of unsupported cases names cases', () => {
      expect(Object.keys(unsupported).filter((title) => !Object.hasOwn(cases, title))).toEqual([]);
    });
  });
}
