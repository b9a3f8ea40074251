import { ask, errorOf, type Facts } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen } from './finding.ts';

interface Right {
  verb: string;
  group: string;
  resource: string;
  namespace?: string;
  name?: string;
}

const describe = ({ verb, resource, namespace, name }: Right): string =>
  [verb, name ? `${resource}/${name}` : resource, ...(namespace ? [`in ${namespace}`] : [])].join(' ');

/** The server may read by what it knows the proxy. */
export const readerRoleStep: CheckStep<Facts> = {
  name: 'reader-role',
  needs: [],
  run: (facts) =>
    judgeRights(
      facts,
      [
        {
          verb: 'get',
          group: '',
          resource: 'configmaps',
          namespace: 'kube-system',
          name: 'extension-apiserver-authentication',
        },
      ],
      (user) =>
        `Bind the Role extension-apiserver-authentication-reader of kube-system to it: kubectl create rolebinding -n kube-system NAME --role=extension-apiserver-authentication-reader ${subjectFlag(user)}`,
    ),
};

/** The server may ask who somebody is, and what they may do. */
export const authDelegatorStep: CheckStep<Facts> = {
  name: 'auth-delegator',
  needs: [],
  run: (facts) =>
    judgeRights(
      facts,
      [
        { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' },
        { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
      ],
      (user) =>
        `Bind the ClusterRole system:auth-delegator to it: kubectl create clusterrolebinding NAME --clusterrole=system:auth-delegator ${subjectFlag(user)}`,
    ),
};

function subjectFlag(user: string): string {
  const account = serviceAccountOf(user);
  return account ? `--serviceaccount=${account.namespace}:${account.name}` : `--user=${user}`;
}

function serviceAccountOf(user: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

function groupsOf(user: string): string[] {
  const account = serviceAccountOf(user);
  const own = account ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`] : [];
  return [...own, 'system:authenticated'];
}

async function judgeRights(
  facts: Facts,
  rights: readonly Right[],
  mend: (user: string) => string,
): Promise<Finding> {
  const users = facts.extensionUser ? [facts.extensionUser] : [...facts.podUsers];
  if (users.length === 0) {
    return unseen(
      'no Pod behind the Service says as whom the server asks',
      'Say it: --extension-user=system:serviceaccount:NAMESPACE:NAME',
    );
  }
  for (const user of users) {
    for (const right of rights) {
      if (!(await isAllowed(facts, user, right)))
        return failed(`${user} may not ${describe(right)}`, mend(user));
    }
  }
  return ok(users.join(', '));
}

async function isAllowed(facts: Facts, user: string, right: Right): Promise<boolean> {
  const requested = await ask(facts, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups: groupsOf(user), resourceAttributes: right },
    },
  });
  const status = requested.object?.status as { allowed?: boolean } | undefined;
  if (requested.status !== 201 || typeof status?.allowed !== 'boolean') {
    throw new Error(`the API server does not say what ${user} may do: ${errorOf(requested)}`);
  }
  return status.allowed;
}
