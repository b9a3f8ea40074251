import type { Client } from '@annex/client';
import { StatusError } from '@annex/machinery';
import { OperatorError, type Validated } from '@annex/runtime';
import { type ClientCommand, runClientCommand } from '../client-command.ts';
import { reportErrors, reportInvalidCommandLine } from '../report-errors.ts';
import { type MigrateConfig, migrateOptions } from '../migrate-options.ts';
import { type Progress, rewriteObjects } from './rewrite-objects.ts';
import {
  findResource,
  mixedCrds,
  resourceOf,
  storageVersion,
  type StoredResource,
} from './stored-resource.ts';
import { confirmStoredVersion } from './stored-versions.ts';

const command: ClientCommand<MigrateConfig> = {
  usage: 'annex migrate RESOURCE.GROUP… | --all [options]',
  options: migrateOptions,
  words: { min: 0, max: 1000 },
  run: migrate,
};

/** `annex migrate`: stores the objects of resources in the current storage version. Resolves to the exit code. */
export const runMigrate = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runClientCommand(command, argv, env);

async function migrate(
  client: Client,
  config: Validated<MigrateConfig>,
  words: readonly string[],
): Promise<number> {
  if (config.all === words.length > 0) {
    const code = config.all ? 'ARGUMENT_UNEXPECTED' : 'ARGUMENT_MISSING';
    return reportInvalidCommandLine([new OperatorError(code, `usage: ${command.usage}`)]);
  }
  const failed: OperatorError[] = [];
  const attempt = async (name: string, find: () => StoredResource | Promise<StoredResource>) => {
    try {
      if (!(await migrateResource(client, await find(), config)))
        failed.push(new OperatorError('RESOURCE_UNUSABLE', `${name} is not migrated`));
    } catch (error) {
      if (!(error instanceof StatusError || error instanceof OperatorError)) throw error;
      const code = error instanceof OperatorError ? error.code : 'REQUEST_FAILED';
      failed.push(new OperatorError(code, `${name}: ${error.message}`));
    }
  };
  for (const crd of config.all ? await mixedCrds(client) : [])
    await attempt(crd.metadata.name ?? '', () => resourceOf(crd));
  for (const word of words) await attempt(word, () => findResource(client, word));
  return reportErrors(failed);
}

/** Resolves to true if every object is stored in the storage version. */
async function migrateResource(
  client: Client,
  resource: StoredResource,
  config: Validated<MigrateConfig>,
): Promise<boolean> {
  let printedAt = performance.now();
  const progress = await rewriteObjects(client, resource, {
    ...config,
    onPage(now) {
      if (performance.now() - printedAt < 1000 || now.remaining === 0) return;
      printedAt = performance.now();
      process.stderr.write(`${resource.name}: ${summary(now, config.dryRun)}, ${now.remaining} left\n`);
    },
  });
  const { crd } = resource;
  const isDone = progress.failures.length === 0;
  if (isDone && crd !== undefined && !config.dryRun) await confirmStoredVersion(client, crd);
  const where = crd ? ` in ${storageVersion(crd)}` : '';
  process.stdout.write(`${resource.name}${where}: ${summary(progress, config.dryRun)}\n`);
  for (const { object, message } of progress.failures.slice(0, shownFailures))
    process.stderr.write(`  ${object}: ${message}\n`);
  return isDone;
}

const shownFailures = 10;

function summary({ written, unchanged, deleted, failures }: Progress, dryRun: boolean): string {
  const counts: [number, string][] = [
    [written, dryRun ? 'would be written' : 'written'],
    [unchanged, 'already in the storage version'],
    [deleted, 'deleted concurrently'],
    [failures.length, 'failed'],
  ];
  const parts = counts.filter(([count], i) => count > 0 || i === 0);
  return parts.map(([count, what]) => `${count} ${what}`).join(', ');
}
