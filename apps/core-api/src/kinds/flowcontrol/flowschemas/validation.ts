import { mandatorySchemas } from '@annex/flow-control';
import {
  deepEqual,
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  validateDns1123Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { all, type Check, each, fields, isMissing, required, text, unique } from '../../shared/checks.ts';

const lastPrecedence = 10_000;

const precedence: Check = (value, at) => {
  if (Number(value) <= 0) return [fieldErrors.invalid(at, value, 'must be a positive value')];
  if (Number(value) <= lastPrecedence) return [];
  return [fieldErrors.invalid(at, value, `must not be greater than ${lastPrecedence}`)];
};

const supportedVerbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** A `*` has to be the only element. */
const alone =
  (what: string): Check =>
  (value, at) =>
    stringsOf(value).includes('*') && stringsOf(value).length > 1
      ? [fieldErrors.invalid(at, value, `if '*' is present, must not specify other ${what}`)]
      : [];

const verbs = required((value, at) => {
  const list = stringsOf(value);
  if (list.includes('*')) return alone('verbs')(value, at);
  return list.every((verb) => supportedVerbs.includes(verb))
    ? []
    : [fieldErrors.notSupported(at, value, supportedVerbs)];
}, 'verbs must contain at least one value');

const url: Check = (value, at) => {
  const path = String(value);
  const refuse = (why: string) => [fieldErrors.invalid(at, path, why)];
  if (path === '') return refuse('must not be empty');
  if (path === '/') return [];
  if (!path.startsWith('/')) return refuse('must start with slash');
  if (path.includes(' ')) return refuse('must not contain white-space');
  if (path.includes('//')) return refuse('must not contain double slash');
  const wildcard = path.indexOf('*');
  const isSuffix = wildcard === path.length - 1 && path.endsWith('/*');
  return wildcard < 0 || isSuffix ? [] : refuse('wildcard can only do suffix matching');
};

const urls = required(
  (value, at) =>
    stringsOf(value).includes('*') ? alone('non-resource URLs')(value, at) : each(url)(value, at),
  'nonResourceURLs must contain at least one value',
);

const namespace: Check = (value, at) =>
  validateDns1123Label(String(value ?? '')).map((why) =>
    fieldErrors.invalid(at, value ?? '', `each member of this list must be '*' or a DNS-1123 label; ${why}`),
  );

const namespaces: Check = (value, at) =>
  stringsOf(value).includes('*') ? alone('namespaces')(value, at) : each(namespace)(value, at);

const resourceRule = fields(
  {
    verbs,
    apiGroups: required(alone('api groups'), 'resource rules must supply at least one api group'),
    resources: required(alone('resources'), 'resource rules must supply at least one resource'),
  },
  (rule, at) => {
    if (!isObject(rule)) return [];
    const value = getOwn(rule, 'namespaces');
    const child = at.child('namespaces');
    return isMissing(value) && getOwn(rule, 'clusterScope') !== true
      ? [
          fieldErrors.required(
            child,
            'resource rules that are not cluster scoped must supply at least one namespace',
          ),
        ]
      : namespaces(value, child);
  },
);

const nonResourceRule = fields({ verbs, nonResourceURLs: urls });

const nameOrAll: Check = (value, at) =>
  value === '*' ? [] : required(text(validateDns1123Subdomain))(value, at);

/** The fields of the kinds of subjects, and their checks. */
const subjectKinds: ReadonlyMap<string, { field: string; check: Check }> = new Map([
  [
    'ServiceAccount',
    {
      field: 'serviceAccount',
      check: fields({
        name: nameOrAll,
        namespace: required(text(validateDns1123Label), 'must specify namespace for service account'),
      }),
    },
  ],
  ['User', { field: 'user', check: fields({ name: required() }) }],
  ['Group', { field: 'group', check: fields({ name: required() }) }],
]);

const kindOfSubject: Check = (subject, at) => {
  if (!isObject(subject)) return [];
  const kind = String(getOwn(subject, 'kind') ?? '');
  const own = subjectKinds.get(kind);
  if (own === undefined) {
    return [fieldErrors.notSupported(at.child('kind'), kind, [...subjectKinds.keys()].sort())];
  }
  const child = at.child(own.field);
  const value = getOwn(subject, own.field);
  const details = isMissing(value)
    ? [fieldErrors.required(child, `${own.field} is required when subject kind is '${kind}'`)]
    : own.check(value, child);
  return [...details, ...foreignDetails(subject, kind, at)];
};

function foreignDetails(subject: JsonObject, kind: string, at: FieldPath): FieldError[] {
  return ['ServiceAccount', 'User', 'Group']
    .filter((other) => other !== kind)
    .flatMap((other) => {
      const { field } = subjectKinds.get(other)!;
      return isMissing(getOwn(subject, field))
        ? []
        : [
            fieldErrors.forbidden(
              at.child(field),
              `${field} is forbidden when subject kind is not '${other}'`,
            ),
          ];
    });
}

const rule: Check = (value, at) => {
  if (!isObject(value)) return [];
  const [resources, others] = [getOwn(value, 'resourceRules'), getOwn(value, 'nonResourceRules')];
  return [
    ...required(each(kindOfSubject), 'subjects must contain at least one value')(
      getOwn(value, 'subjects'),
      at.child('subjects'),
    ),
    ...(isMissing(resources) && isMissing(others)
      ? [fieldErrors.required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...each(resourceRule)(resources, at.child('resourceRules')),
    ...each(nonResourceRule)(others, at.child('nonResourceRules')),
  ];
};

const distinguishers = ['ByNamespace', 'ByUser'];

/** kube-apiserver prints the whole method. */
const distinguisherMethod: Check = (value, at) => {
  if (!isObject(value)) return [];
  const type = getOwn(value, 'type') ?? '';
  return distinguishers.includes(String(type))
    ? []
    : [fieldErrors.notSupported(at.child('type'), { Type: type }, distinguishers)];
};

const spec = fields({
  matchingPrecedence: precedence,
  distinguisherMethod,
  priorityLevelConfiguration: fields({
    name: required(text(validateDns1123Subdomain), 'must reference a priority level'),
  }),
  rules: each(rule),
});

const onlyExempt: Check = (object, at) => {
  const { name, value } = specOf(object);
  return name !== 'exempt' && getOwn(value, 'matchingPrecedence') === 1
    ? [
        fieldErrors.invalid(
          at.child('spec').child('matchingPrecedence'),
          1,
          "only the schema named 'exempt' may have matchingPrecedence 1",
        ),
      ]
    : [];
};

const fixedSpec: Check = (object, at) => {
  const { name, value } = specOf(object);
  const fixed = mandatorySchemas.find((schema) => schema.name === name);
  return fixed === undefined || deepEqual(fixed.spec as unknown as JsonValue, value)
    ? []
    : [fieldErrors.invalid(at.child('spec'), value, `spec of '${name}' must equal the fixed value`)];
};

function specOf(object: unknown): { name: string; value: JsonObject } {
  const [metadata, value] = isObject(object) ? [getOwn(object, 'metadata'), getOwn(object, 'spec')] : [];
  const name = isObject(metadata) ? String(getOwn(metadata, 'name') ?? '') : '';
  return { name, value: isObject(value) ? value : {} };
}

/** The checks of kube-apiserver. */
export const checkFlowSchema: Check = all(
  fields({ spec }),
  onlyExempt,
  fixedSpec,
  fields({ status: fields({ conditions: all(unique('type'), each(fields({ type: required() }))) }) }),
);
