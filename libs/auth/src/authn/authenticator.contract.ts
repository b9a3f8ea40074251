import { describe, expect, test } from 'vitest';
import { type Authenticator, type Credentials, CredentialsError, type UserInfo } from '../types.ts';

/** Options to run the contract on an authenticator. */
export interface AuthenticatorContractOptions {
  open(): Authenticator | Promise<Authenticator>;
  /** Valid credentials of this authenticator's kind, and the user that they name. */
  good(): Promise<{ credentials: Credentials; user: Pick<UserInfo, 'name'> }>;
  /** Invalid credentials of this authenticator's kind, each under a description of its error. */
  bad(): Promise<Record<string, Credentials>>;
  /** Credentials of other kinds. The contract always adds a request without credentials. */
  foreign?(): Promise<Record<string, Credentials>>;
  /**
   * Cases that this authenticator does not support, with the reason. They show as skipped; an unknown case
   * name fails.
   */
  unsupported?: Readonly<Record<string, string>>;
}

type Case = (authenticator: Authenticator, options: AuthenticatorContractOptions) => Promise<void>;

const nothing: Credentials = { headers: {}, rawHeaders: [], peerCertificate: undefined };

const cases: Readonly<Record<string, Case>> = {
  'names the user of valid credentials and the authenticator': async (authenticator, { good }) => {
    const { credentials, user } = await good();
    const result = await authenticator.authenticate(credentials);
    expect(result?.user).toMatchObject(user);
    expect(result?.by).not.toBe('');
  },
  'returns the same result each time': async (authenticator, { good }) => {
    const { credentials } = await good();
    const first = await authenticator.authenticate(credentials);
    expect(await authenticator.authenticate(credentials)).toEqual(first);
  },
  'leaves the group system:authenticated to the union': async (authenticator, { good }) => {
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
  'refuses invalid credentials each time': async (authenticator, { bad }) => {
    for (const [what, credentials] of Object.entries(await bad())) {
      for (let i = 0; i < 2; i++) {
        const refused = (async () => authenticator.authenticate(credentials))();
        await expect(refused, what).rejects.toBeInstanceOf(CredentialsError);
      }
    }
  },
  'has no opinion on credentials of other kinds': async (authenticator, { foreign }) => {
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
    test('every unsupported case is a case of the contract', () => {
      expect(Object.keys(unsupported).filter((title) => !Object.hasOwn(cases, title))).toEqual([]);
    });
  });
}
