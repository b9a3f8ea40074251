import {
  type FieldError,
  FieldPath,
  fieldErrors,
  fieldErrorText,
  stringifyJson,
  TypedText,
  validateQualifiedName,
} from '@annex/machinery';
import { isExtendedResource } from '../objects/resources.ts';
import { schedulerConfigVersion } from './decode.ts';
import { durationText } from './durations.ts';
import type {
  ExtenderConfig,
  LeaderElectionConfig,
  PluginSet,
  ProfileConfig,
  SchedulerConfig,
} from './types.ts';
import { validateArguments } from './validate-arguments.ts';

const { duplicate, invalid, required } = fieldErrors;

/** Returns the texts of all errors, in the order of kube-scheduler. */
export function validateConfiguration(config: SchedulerConfig): string[] {
  const { profiles, extenders, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = config;
  const firstByName = firstOf(profiles, schedulerNameOf);
  const errors = [
    ...(config.clientConnection.burst < 0
      ? [
          invalid(
            FieldPath.of('clientConnection', 'burst'),
            config.clientConnection.burst,
            'must be non-negative',
          ),
        ]
      : []),
    ...leaderElectionErrors(config.leaderElection),
    ...(config.parallelism <= 0
      ? [invalid('parallelism', config.parallelism, 'should be an integer value greater than zero')]
      : []),
    ...profiles.flatMap((profile, i) => profileErrors(profile, i, firstByName)),
    ...queueSortErrors(profiles),
    ...percentageErrors(FieldPath.of('percentageOfNodesToScore'), config.percentageOfNodesToScore),
    ...(initial <= 0 ? [invalid('podInitialBackoffSeconds', initial, 'must be greater than 0')] : []),
    ...(max < initial
      ? [invalid('podMaxBackoffSeconds', max, 'must be greater than or equal to PodInitialBackoffSeconds')]
      : []),
    ...extenderErrors(extenders),
  ];
  return [...new Set(errors.map(fieldErrorText))];
}

function leaderElectionErrors(config: LeaderElectionConfig): FieldError[] {
  if (!config.leaderElect) return [];
  const at = FieldPath.of('leaderElection');
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceLock } = config;
  const positive = (name: string, value: number) =>
    value > 0 ? [] : [invalid(at.child(name), durationText(value), 'must be greater than zero')];
  const missing = (name: string, value: string) => (value === '' ? [required(at.child(name))] : []);
  return [
    ...positive('leaseDuration', leaseDurationMs),
    ...positive('renewDeadline', renewDeadlineMs),
    ...positive('retryPeriod', retryPeriodMs),
    // The value is that of the other field, as in kube-scheduler.
    ...(leaseDurationMs > renewDeadlineMs
      ? []
      : [
          invalid(
            at.child('leaseDuration'),
            durationText(renewDeadlineMs),
            'must be greater than `RenewDeadline`',
          ),
        ]),
    ...missing('resourceNamespace', config.resourceNamespace),
    ...missing('resourceName', config.resourceName),
    ...(resourceLock === 'leases'
      ? []
      : [invalid(at.child('resourceLock'), resourceLock, 'resourceLock value must be "leases"')]),
  ];
}

const schedulerNameOf = ({ schedulerName }: ProfileConfig): string => schedulerName;

/** Returns the index of the first item of each name. */
function firstOf<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) if (!first.has(nameOf(item))) first.set(nameOf(item), index);
  return first;
}

const removedPlugins = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);
const removedText = `was invalid in version "v1" (KubeSchedulerConfiguration is version "${schedulerConfigVersion}")`;

function profileErrors(
  { schedulerName, percentageOfNodesToScore, plugins, pluginConfig }: ProfileConfig,
  index: number,
  firstByName: ReadonlyMap<string, number>,
): FieldError[] {
  const at = FieldPath.of('profiles').index(index);
  const first = firstByName.get(schedulerName) ?? index;
  const firstConfig = firstOf(pluginConfig, ({ name }) => name);
  const enabled = [...plugins].flatMap(([set, { enabled }]) =>
    set === 'multiPoint' || set.startsWith('placement')
      ? []
      : enabled.map(({ name }, i) => ({ name, path: at.child('plugins', set, 'enabled').index(i) })),
  );
  return [
    ...(schedulerName === '' ? [required(at.child('schedulerName'))] : []),
    ...percentageErrors(at.child('percentageOfNodesToScore'), percentageOfNodesToScore),
    ...enabled
      .filter(({ name }) => removedPlugins.has(name))
      .map(({ name, path }) => invalid(path, name, removedText)),
    ...pluginConfig.flatMap(({ name, args }, i) => {
      const path = at.child('pluginConfig').index(i);
      const isRepeated = (firstConfig.get(name) ?? i) < i;
      return [
        ...(isRepeated ? [duplicate(path, name)] : []),
        ...(removedPlugins.has(name)
          ? [invalid(path, name, removedText)]
          : validateArguments(name, args, path.child('args'))),
      ];
    }),
    // The value is the path of the first profile with the name, which kube-scheduler prints without its fields.
    ...(first < index ? [duplicate(at.child('schedulerName'), {})] : []),
  ];
}

const percentageErrors = (at: FieldPath, percentage: number | undefined): FieldError[] =>
  percentage !== undefined && (percentage < 0 || percentage > 100)
    ? [invalid(at, percentage, 'not in valid range [0-100]')]
    : [];

const goPluginSet = ({ enabled, disabled }: PluginSet): object => {
  const list = (plugins: PluginSet['enabled']) =>
    plugins.length === 0 ? null : plugins.map(({ name, weight }) => ({ Name: name, Weight: weight }));
  return { Enabled: list(enabled), Disabled: list(disabled) };
};

function queueSortErrors(profiles: readonly ProfileConfig[]): FieldError[] {
  const none: PluginSet = { enabled: [], disabled: [] };
  const setOf = (profile: ProfileConfig | undefined) => profile?.plugins.get('queueSort') ?? none;
  const [first] = profiles;
  const canonical = stringifyJson(goPluginSet(setOf(first)));
  const path = FieldPath.of('profiles');
  const count = setOf(first).enabled.length;
  return [
    ...(count > 1
      ? [
          invalid(
            path.index(0).child('plugins', 'queueSort', 'Enabled'),
            count,
            'only one queue sort plugin can be enabled',
          ),
        ]
      : []),
    ...profiles.flatMap((profile, i) => {
      const set = goPluginSet(setOf(profile));
      if (stringifyJson(set) === canonical) return [];
      return [invalid(path.index(i).child('plugins', 'queueSort'), set, 'must be the same for all profiles')];
    }),
  ];
}

function extenderErrors(extenders: readonly ExtenderConfig[]): FieldError[] {
  const at = FieldPath.of('extenders');
  const seen = new Set<string>();
  const errors = extenders.flatMap(({ prioritizeVerb, weight, managedResources }, i) => [
    ...(prioritizeVerb !== '' && weight <= 0
      ? [invalid(at.index(i).child('weight'), weight, 'must have a positive weight applied to it')]
      : []),
    ...managedResources.flatMap(({ name }, j) => {
      const path = at.index(i).child('managedResources').index(j).child('name');
      const isRepeated = seen.has(name);
      seen.add(name);
      return [
        ...resourceNameErrors(path, name),
        ...(isRepeated ? [invalid(path, name, 'duplicate extender managed resource name')] : []),
      ];
    }),
  ]);
  const binders = extenders.filter(({ bindVerb }) => bindVerb !== '').length;
  if (binders <= 1) return errors;
  return [
    ...errors,
    invalid(at, `found ${binders} extenders implementing bind`, 'only one extender can implement bind'),
  ];
}

function resourceNameErrors(path: FieldPath, name: string): FieldError[] {
  const problems = validateQualifiedName(name);
  if (problems.length > 0) return problems.map((problem) => invalid(path, new TypedText(name), problem));
  return isExtendedResource(name) ? [] : [invalid(path, name, 'is an invalid extended resource name')];
}
