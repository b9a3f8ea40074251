import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { recordedGroupVersions, retiredGroupVersions } from '@annex/kinds';

/** The configuration of which built-in APIs are served. */
export interface ServedApisConfig {
  runtimeConfig: readonly string[];
}

export const servedApisOptions: OptionsTable<ServedApisConfig> = {
  runtimeConfig: {
    flag: 'runtime-config',
    type: 'list',
    default: [],
    help: "Built-in APIs to switch on or off: 'group/version=true|false', 'group/version/resource=true|false', 'api/v1', 'api/all', 'api/ga', 'api/beta', 'api/alpha'.",
  },
};

/** What is wrong with those options. */
export const servedApisConflicts: ConflictCheck<ServedApisConfig> = ({ runtimeConfig }) =>
  runtimeConfigErrors(runtimeConfig).map((why) => `--runtime-config: ${why}`);

/** A resource in one version. */
export interface ServedResource {
  group: string;
  version: string;
  resource: string;
}

/** Which built-in resources are served. */
export type ServedApis = (of: ServedResource) => boolean;

interface GroupVersion {
  group: string;
  version: string;
}

/** The APIs behind a key that names more than one. */
const patterns: readonly (readonly [key: string, pattern: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
];

/** Annex reads them itself. */
const indispensable = ['apiextensions.k8s.io/v1', 'apiregistration.k8s.io/v1'];

const nameOf = ({ group, version }: GroupVersion): string => `${group}/${version}`;

/** What is wrong with `--runtime-config`, in the words of kube-apiserver. */
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
      `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`,
    ];
  }
  if (resource === resource.toLowerCase()) return [];
  const rule = 'group/version/resource and resource is always lowercase plural';
  return [`invalid key ${key}: ${rule}, not ${JSON.stringify(resource)}`];
}

function missing(entries: readonly string[]): string[] {
  const serves = servedApis(entries);
  const needed = recordedGroupVersions().filter((gv) => indispensable.includes(nameOf(gv)));
  return needed
    .filter(
      ({ group, version, resources }) =>
        !resources.every(({ resource }) => serves({ group, version, resource })),
    )
    .map((gv) => `API group/version ${nameOf(gv)} must be enabled`);
}

/** The APIs that `--runtime-config` leaves, or that are served without it; of others than built-in ones, all. */
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

/** The last value of each key; as in kube, whatever is said of a part of the core group is said of all of it. */
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

// What strconv.ParseBool reads; a key alone is switched on.
function readBool(text: string): boolean | undefined {
  if (['', '1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}
