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
  return {
    name: [...list, ...(last ? [last] : [])].map((authenticator) => authenticator.name).join(','),
    async authenticate(credentials) {
      const answer = await firstAnswer(list, credentials);
      if (answer !== undefined) return complete(answer);
      const others = await last?.authenticate(credentials);
      if (last) note(credentials, { authenticator: last.name, outcome: others ? 'authenticated' : 'passed' });
      return others;
    },
  };
}

async function firstAnswer(
  list: readonly Authenticator[],
  credentials: Credentials,
): Promise<Authenticated | undefined> {
  const refusals: CredentialsError[] = [];
  let presented = credentials;
  const refuse = (authenticator: Authenticator, error: CredentialsError): void => {
    note(credentials, { authenticator: authenticator.name, outcome: 'refused', why: error.message });
    refusals.push(error);
    if (error.spendsCertificate) presented = { ...presented, peerCertificate: undefined };
  };
  for (const authenticator of list) {
    const refusal = authenticator.refusal?.(presented);
    if (refusal !== undefined) {
      refuse(authenticator, refusal);
      continue;
    }
    try {
      const answer = authenticator.authenticate(presented);
      const settled = answer instanceof Promise ? await answer : answer;
      if (settled !== undefined) {
        note(credentials, { authenticator: settled.by, outcome: 'authenticated' });
        return settled;
      }
      note(credentials, passed(authenticator));
    } catch (error) {
      if (!(error instanceof CredentialsError)) throw error;
      refuse(authenticator, error);
    }
  }
  if (refusals.length === 0) return undefined;
  if (refusals.length === 1) throw refusals[0];
  throw new CredentialsError(`[${refusals.map((refusal) => refusal.message).join(', ')}]`);
}

function note({ attempts }: Credentials, attempt: Attempt): void {
  attempts?.push(attempt);
}

const passed = ({ name, takes }: Authenticator): Attempt => ({
  authenticator: name,
  outcome: 'passed',
  ...(takes === undefined ? {} : { why: `found no ${takes}` }),
});

function withAuthenticatedGroup(answer: Authenticated): Authenticated {
  const { user } = answer;
  const settled = (group: string) => group === authenticatedGroup || group === unauthenticatedGroup;
  if (user.name === anonymousUser || user.groups.some(settled)) return answer;
  return { ...answer, user: { ...user, groups: [...user.groups, authenticatedGroup] } };
}
