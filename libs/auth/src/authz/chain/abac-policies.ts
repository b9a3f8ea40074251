import { readTextFile } from '@annex/runtime';
import { getOwn, isObject, type JsonObject, type JsonValue, parseJson } from '@annex/machinery';
import { ConfigurationError } from '../../configuration-file.ts';
import { Fields, part } from '../../go-fields.ts';
import { goJsonType, noTypeText } from '../../go-json-type.ts';

/** One line of a policy file. Empty strings match nothing, `*` matches everything. */
export interface AbacPolicy {
  user: string;
  group: string;
  readonly: boolean;
  apiGroup: string;
  resource: string;
  namespace: string;
  nonResourcePath: string;
}

const versions = {
  current: 'abac.authorization.kubernetes.io/v1beta1',
  before: 'abac.authorization.kubernetes.io/v0',
};
const authenticated = 'system:authenticated';

/**
 * Reads a policy file: one JSON object per line. Source: "Using ABAC Authorization" of the Kubernetes
 * documentation. Rejects with {@link ConfigurationError} with kube-apiserver's message.
 */
export async function readAbacPolicies(path: string): Promise<AbacPolicy[]> {
  const text = await readTextFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'no such file or directory' : error.message;
    throw new ConfigurationError(`open ${path}: ${why}`);
  });
  return text.split(/\r?\n/).flatMap((line, i) => {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) return [];
    try {
      return [policyOf(line)];
    } catch (error) {
      const why = (error as Error).message;
      throw new ConfigurationError(`error reading policy file ${path}, line ${i + 1}: ${line}: ${why}`);
    }
  });
}

function policyOf(line: string): AbacPolicy {
  const value = decoded(line);
  if (!isObject(value)) throw new Error(noTypeText(value));
  const [version, kind] = [textOf(value, 'apiVersion'), textOf(value, 'kind')];
  if (version === versions.current && kind === 'Policy') return current(value);
  const [ofVersion, ofKind] = [version || versions.before, kind || 'Policy'];
  if (ofVersion === versions.current && ofKind === 'Policy') {
    throw new Error('converting (v1beta1.Policy) to (v0.Policy): unknown conversion');
  }
  if (ofVersion !== versions.before || ofKind !== 'Policy') {
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    throw new Error(`no kind "${ofKind}" is registered for version "${ofVersion}" ${scheme}`);
  }
  return before(value);
}

function textOf(value: JsonObject, field: string): string {
  const text = getOwn(value, field) ?? '';
  if (typeof text === 'string') return text;
  const why = `json: cannot unmarshal ${goJsonType(text)} into Go struct field .${field} of type string`;
  throw new Error(`couldn't get version/kind; json parse error: ${why}`);
}

function decoded(line: string): JsonValue {
  try {
    return parseJson(line);
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function current(value: JsonObject): AbacPolicy {
  const of = new Fields('PolicySpec.spec', part(value.spec, 'Policy.spec', 'v1beta1.PolicySpec'));
  const text = (name: string) => of.text(name) ?? '';
  return withAuthenticated({
    user: text('user'),
    group: text('group'),
    readonly: of.bool('readonly') ?? false,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  });
}

/** Converts an unversioned line: members that it leaves out match everything. */
function before(value: JsonObject): AbacPolicy {
  const of = new Fields('Policy', value);
  const [user = '', group = ''] = [of.text('user'), of.text('group')];
  const [resource = '', namespace = ''] = [of.text('resource'), of.text('namespace')];
  return withAuthenticated({
    user,
    group: user === '' && group === '' ? authenticated : group,
    readonly: of.bool('readonly') ?? false,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: resource === '' && namespace === '' ? '*' : '',
  });
}

const withAuthenticated = (policy: AbacPolicy): AbacPolicy =>
  policy.user === '*' || policy.group === '*' ? { ...policy, user: '', group: authenticated } : policy;
