import { describe, expect, it } from 'vitest';
import { type Authenticator, type Credentials, CredentialsError, type UserInfo } from './types.ts';

/** How the contract is run on an authenticator. */
export interface AuthenticatorContractOptions {
  open(): Authenticator | Promise<Authenticator>;
  /** Credentials of this authenticator's kind that hold, and whom they name. */
  good(): Promise<{ credentials: Credentials; user: Pick<UserInfo, 'name'> }>;
  /** Credentials of its kind that do not hold, each with what is wrong. */
  bad(): Promise<Record<string, Credentials>>;
  /** Credentials of other kinds; there is always a request without any. */
  foreign?(): Promise<Record<string, Credentials>>;
}

const nothing: Credentials = { headers: {}, rawHeaders: [], peerCertificate: undefined };

/** Registers every case of the authenticator contract for one authenticator. */
export function authenticatorContract(name: string, options: AuthenticatorContractOptions): void {
  const authenticate = async (credentials: Credentials) => (await options.open()).authenticate(credentials);
  describe(`authenticator contract: ${name}`, () => {
    it('names the user of good credentials, and itself', async () => {
      const { credentials, user } = await options.good();
      const answer = await authenticate(credentials);
      expect(answer?.user).toMatchObject(user);
      expect(answer?.by).not.toBe('');
    });
    it('says the same each time', async () => {
      const authenticator = await options.open();
      const { credentials } = await options.good();
      const first = await authenticator.authenticate(credentials);
      expect(await authenticator.authenticate(credentials)).toEqual(first);
    });
    it('leaves it to the union to say who is authenticated', async () => {
      const { credentials } = await options.good();
      expect((await authenticate(credentials))?.user.groups).not.toContain('system:authenticated');
    });
    it('writes extra keys in lower case', async () => {
      const { credentials } = await options.good();
      const keys = Object.keys((await authenticate(credentials))?.user.extra ?? {});
      expect(keys).toEqual(keys.map((key) => key.toLowerCase()));
    });
    it('refuses bad credentials', async () => {
      for (const [what, credentials] of Object.entries(await options.bad())) {
        const refused = (async () => authenticate(credentials))();
        await expect(refused, what).rejects.toBeInstanceOf(CredentialsError);
      }
    });
    it('has nothing to say of credentials of other kinds', async () => {
      for (const [what, credentials] of Object.entries({ nothing, ...(await options.foreign?.()) })) {
        expect(await authenticate(credentials), what).toBeUndefined();
      }
    });
  });
}
