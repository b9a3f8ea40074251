import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';
import { goQuote, parseGoBoolean } from '@annex/machinery';
import { recordedGroupVersions, retiredGroupVersions } from '@annex/kinds';

/** Options that select the built-in APIs. */
export interface ServedApisConfig {
  runtimeConfig: readonly string[];
}

export const servedApisOptions: OptionsTable<ServedApisConfig> = optionGroup('APIs', {
  runtimeConfig: {
    flag: 'runtime-config',
    type: 'list',
    default: [],
    help: "Built-in APIs to enable or disable: 'group/version=true|false', 'group/version/resource=true|false', 'api/v1', 'api/all', 'api/ga', 'api/beta', 'api/alpha'.",
  },
});

/** Returns the errors of these options. */
export const servedApisConflicts: ConflictCheck<ServedApisConfig> = ({ runtimeConfig }) =>
  runtimeConfigErrors(runtimeConfig).map((why) => `--runtime-config: ${why}`);

/** A resource in one version. */
export interface ServedResource {
  group: string;
  version: string;
  resource: string;
}

/** Returns whether a built-in resource is served. */
export type ServedApis = (of: ServedResource) => boolean;

interface GroupVersion {
  group: string;
  version: string;
}

/** The keys that select several APIs. */
const patterns: readonly (readonly [key: string, pattern: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
];

/** Annex itself reads these APIs. */
const requiredApis = ['apiextensions.k8s.io/v1', 'apiregistration.k8s.io/v1'];

const nameOf = ({ group, version }: GroupVersion): string => `${group}/${version}`;

/** Returns kube-apiserver's error messages for invalid values of `--runtime-config`. */
function runtimeConfigErrors(entries: readonly string[]): string[] {
  const settings = settingsOf(entries);
  if (settings.size === 1 && settings.get('api/all') === 'false') {
    return ['invalid runtime-config with only api/all=false'];
  }
  const malformed = [...settings.keys()].filter(
    (key) => !isPattern(key) && !/^[^/]*(\/[^/]+){1,2}$/.test(key),
  );
  if (malformed.length > 0) return malformed.map((key) => `runtime-config invalid key ${key}`);
  const unknown = ownKeys(settings).filter(
    ({ group }) => !registered().some((known) => known.group === group),
  );
  if (unknown.length > 0) {
    return [`unknown api groups ${[...new Set(unknown.map(nameOf))].sort().join(',')}`];
  }
  const errors = [...settings].flatMap(([key, value]) => settingError(key, value));
  return errors.length > 0 ? errors : missing(entries);
}

function settingError(key: string, value: string): string[] {
  if (isPattern(key)) return value === 'true' || value === 'false' ? [] : [`invalid value ${key}=${value}`];
  const { resource, ...version } = parseKey(key);
  if (!registered().some((known) => nameOf(known) === nameOf(version))) {
    return [`group version ${nameOf(version)} that has not been registered`];
  }
  if (readBool(value) === undefined) {
    return [
      `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`,
    ];
  }
  if (resource === resource.toLowerCase()) return [];
  const rule = 'group/version/resource and resource is always lowercase plural';
  return [`invalid key ${key}: ${rule}, not ${JSON.stringify(resource)}`];
}

function missing(entries: readonly string[]): string[] {
  const serves = servedApis(entries);
  const needed = recordedGroupVersions().filter((gv) => requiredApis.includes(nameOf(gv)));
  return needed
    .filter(
      ({ group, version, resources }) =>
        !resources.every(({ resource }) => serves({ group, version, resource })),
    )
    .map((gv) => `API group/version ${nameOf(gv)} must be enabled`);
}

/**
 * Returns the APIs that are served with these values of `--runtime-config`. APIs that are not built in are
 * always served.
 */
export function servedApis(entries: readonly string[] = []): ServedApis {
  const settings = settingsOf(entries);
  const versions = new Map(retiredGroupVersions.map((gv) => [nameOf(gv), false]));
  for (const [key, pattern] of patterns) {
    const value = settings.get(key);
    if (value === undefined) continue;
    for (const gv of registered()) if (pattern.test(gv.version)) versions.set(nameOf(gv), value === 'true');
  }
  const resources = new Map<string, boolean>();
  for (const { resource, value, ...gv } of ownKeys(settings)) {
    if (resource === '') versions.set(nameOf(gv), value);
    else resources.set(`${nameOf(gv)}/${resource}`, value);
  }
  return ({ group, version, resource }) =>
    resources.get(`${group}/${version}/${resource}`) ?? versions.get(`${group}/${version}`) ?? true;
}

const registered = (): GroupVersion[] => [...recordedGroupVersions(), ...retiredGroupVersions];
const isPattern = (key: string): boolean => patterns.some(([known]) => known === key);

/**
 * The last value of each key wins. As in kube-apiserver, a value for a part of the core group applies to the
 * whole group.
 */
function settingsOf(entries: readonly string[]): Map<string, string> {
  const settings = new Map<string, string>();
  for (const entry of entries) {
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(entry) ?? [];
    if (/^(api\/)?v1(\/|$)/.test(key)) settings.set('/v1', value);
    else if (key !== 'api/legacy') settings.set(key, value);
  }
  return settings;
}

function parseKey(key: string): ServedResource {
  const [group = '', version = '', resource = ''] = key.split('/');
  return { group, version, resource };
}

const ownKeys = (settings: Map<string, string>): (ServedResource & { value: boolean })[] =>
  [...settings]
    .filter(([key]) => !isPattern(key))
    .map(([key, value]) => ({ ...parseKey(key), value: readBool(value) ?? false }));

// A key without a value is true.
const readBool = (text: string): boolean | undefined => text === '' || parseGoBoolean(text);
