import { aggregateText } from '@annex/auth';
import { readFileSync } from 'node:fs';
import type { ClientConfig } from '@annex/client';
import {
  type ConflictCheck,
  createLifecycle,
  optionGroup,
  OperatorError,
  type OptionsTable,
  type Part,
} from '@annex/runtime';
import type { Attempts } from './explain/attempts.ts';
import { decodeConfiguration, defaultConfiguration } from './config/decode.ts';
import type { ProfileConfig, SchedulerConfig } from './config/types.ts';
import { validateConfiguration } from './config/validate.ts';
import { loadPlugins } from './framework/load-plugins.ts';
import { createScheduler, type SchedulerAppDeps } from './scheduler-app.ts';

/** The schedulers to run in the process of the server. */
export interface SchedulersConfig {
  schedulers: readonly string[];
  /** Modules with further plugins. */
  schedulerPlugin: readonly string[];
}

/** The option of `annex up`. */
export const schedulersOptions: OptionsTable<SchedulersConfig> = optionGroup('Schedulers', {
  schedulers: {
    flag: 'schedulers',
    type: 'list',
    default: [],
    help: 'Schedulers to run: names of schedulers with the default plugins, such as default-scheduler, and files with a KubeSchedulerConfiguration.',
  },
  schedulerPlugin: {
    flag: 'scheduler-plugin',
    type: 'list',
    default: [],
    help: 'Modules whose exports are further plugins, which the files of --schedulers can enable: files, or names of packages.',
  },
});

const isFile = (text: string): boolean =>
  text.includes('/') || ['.yaml', '.yml', '.json'].some((end) => text.endsWith(end));

/** Rejects names that are given twice. */
export const schedulersConflicts: ConflictCheck<SchedulersConfig> = ({ schedulers }) =>
  new Set(schedulers).size === schedulers.length ? [] : ['--schedulers: the names must differ'];

/** Creates schedulers that share a process with their server: the named ones together, and one for each file. Throws OperatorError. */
export async function createSchedulers(
  deps: SchedulerAppDeps,
  { schedulers, schedulerPlugin }: SchedulersConfig,
  client: ClientConfig,
  attempts: Attempts,
): Promise<Part> {
  const names = schedulers.filter((one) => !isFile(one));
  const configs = [
    ...(names.length === 0 ? [] : [namedProfiles(names)]),
    ...(await Promise.all(schedulers.filter(isFile).map(readConfiguration))),
  ];
  const plugins = await loadPlugins(schedulerPlugin, '--scheduler-plugin');
  const apps = configs.map((config) => {
    try {
      return createScheduler(deps, { client, config, attempts, plugins });
    } catch (error) {
      throw refused((error as Error).message, error);
    }
  });
  const lifecycle = createLifecycle(apps);
  return {
    name: 'schedulers',
    async start() {
      await lifecycle.start();
      for (const app of apps) void app.synced.then(() => app.schedule());
    },
    stop: async () => void (await lifecycle.stop()),
  };
}

function namedProfiles(names: readonly string[]): SchedulerConfig {
  const config = defaultConfiguration();
  const profiles = config.profiles.flatMap((profile): ProfileConfig[] =>
    names.map((schedulerName) => ({ ...profile, schedulerName })),
  );
  return { ...config, profiles };
}

async function readConfiguration(file: string): Promise<SchedulerConfig> {
  try {
    const config = await decodeConfiguration(readFileSync(file, 'utf8'));
    const errors = validateConfiguration(config);
    if (errors.length > 0) throw new Error(aggregateText(errors));
    return config;
  } catch (error) {
    throw refused(`${file}: ${(error as Error).message}`, error);
  }
}

const refused = (why: string, cause: unknown): OperatorError =>
  new OperatorError('SCHEDULER_CONFIGURATION_INVALID', `--schedulers: ${why}`, { cause });
