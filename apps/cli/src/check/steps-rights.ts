import { ask, errorOf, type Facts } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, unseen } from './finding.ts';

interface Permission {
  verb: string;
  group: string;
  resource: string;
  namespace?: string;
  name?: string;
}

const describe = ({ verb, resource, namespace, name }: Permission): string =>
  [verb, name ? `${resource}/${name}` : resource, ...(namespace ? [`in ${namespace}`] : [])].join(' ');

/** Checks that the server is allowed to read the ConfigMap with the proxy's CA and names. */
export const readerRoleStep: CheckStep<Facts> = {
  name: 'reader-role',
  needs: [],
  run: (facts) =>
    checkPermissions(
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
        `Bind the Role extension-apiserver-authentication-reader of kube-system to the user: kubectl create rolebinding -n kube-system NAME --role=extension-apiserver-authentication-reader ${subjectFlag(user)}`,
    ),
};

/** Checks that the server is allowed to create TokenReviews and SubjectAccessReviews. */
export const authDelegatorStep: CheckStep<Facts> = {
  name: 'auth-delegator',
  needs: [],
  run: (facts) =>
    checkPermissions(
      facts,
      [
        { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' },
        { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
      ],
      (user) =>
        `Bind the ClusterRole system:auth-delegator to the user: kubectl create clusterrolebinding NAME --clusterrole=system:auth-delegator ${subjectFlag(user)}`,
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

async function checkPermissions(
  facts: Facts,
  permissions: readonly Permission[],
  fix: (user: string) => string,
): Promise<Finding> {
  const users = facts.extensionUser ? [facts.extensionUser] : [...facts.podUsers];
  if (users.length === 0) {
    return unseen(
      'the user of the server is unknown: the Service has no Pods',
      'Set it with --extension-user=system:serviceaccount:NAMESPACE:NAME',
    );
  }
  for (const user of users) {
    for (const permission of permissions) {
      if (!(await isAllowed(facts, user, permission)))
        return failed(`${user} is not allowed to ${describe(permission)}`, fix(user));
    }
  }
  return ok(users.join(', '));
}

async function isAllowed(facts: Facts, user: string, permission: Permission): Promise<boolean> {
  const requested = await ask(facts, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups: groupsOf(user), resourceAttributes: permission },
    },
  });
  const status = requested.object?.status as { allowed?: boolean } | undefined;
  if (requested.status !== 201 || typeof status?.allowed !== 'boolean') {
    throw new Error(`the API server does not report what ${user} is allowed to do: ${errorOf(requested)}`);
  }
  return status.allowed;
}
