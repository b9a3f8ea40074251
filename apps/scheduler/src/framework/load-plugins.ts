import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '@annex/runtime';
import type { DefinedPlugin } from './define-plugin.ts';

/** Loads modules, and returns the plugins that they export. Paths begin with `.` or `/`; others are packages. Throws OperatorError, which names the option. */
export async function loadPlugins(
  modules: readonly string[],
  option = '--plugin',
): Promise<readonly DefinedPlugin[]> {
  const invalid = (name: string, why: string, cause?: unknown): OperatorError =>
    new OperatorError('SCHEDULER_PLUGIN_INVALID', `${option} ${name}: ${why}`, { cause });
  const loaded: DefinedPlugin[] = [];
  for (const name of modules) {
    const found = await load(name).catch((error: Error) => {
      throw invalid(name, error.message, error);
    });
    const exported = Object.values(found).filter(isDefined);
    if (exported.length === 0) throw invalid(name, 'exports no plugin: export what definePlugin returns');
    loaded.push(...exported);
  }
  return loaded;
}

async function load(name: string): Promise<Record<string, unknown>> {
  const isFile = ['.', '/'].includes(name.charAt(0));
  return (await import(isFile ? pathToFileURL(resolve(name)).href : name)) as Record<string, unknown>;
}

const isDefined = (value: unknown): value is DefinedPlugin =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as DefinedPlugin).name === 'string' &&
  typeof (value as DefinedPlugin).create === 'function';
