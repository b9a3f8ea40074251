import { OperatorError, readTextFile } from '@annex/runtime';
import { dirname, isAbsolute, resolve } from 'node:path';
import { ConfigurationError, configurationStruct, readConfiguration } from '@annex/auth';
import { loadUsers } from '@annex/client';
import {
  fieldErrors,
  fieldErrorText,
  FieldPath,
  type JsonValue,
  setOwn,
  stringifyJson,
  tableOf,
} from '@annex/machinery';
import { InitializationError } from './initialization-error.ts';
import type { TolerationSeconds } from './plugins/default-tolerations.ts';
import type { PodSecurityConfiguration } from './pod-security/configuration.ts';
import { readPodSecurity } from './pod-security/read-configuration.ts';
import { type CredentialsFor, credentialsOf } from './webhooks/credentials.ts';

/** The configurations of the plugins in an AdmissionConfiguration. */
export interface PluginConfigurations {
  DefaultTolerationSeconds?: TolerationSeconds;
  PodSecurity?: PodSecurityConfiguration;
  MutatingAdmissionWebhook?: CredentialsFor;
  ValidatingAdmissionWebhook?: CredentialsFor;
}

interface PluginConfiguration {
  name: string;
  path: string;
  configuration: JsonValue | undefined;
}

const admissionConfiguration = {
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'],
  fields: {
    plugins: [
      configurationStruct('AdmissionPluginConfiguration', {
        name: 'string',
        path: 'string',
        configuration: 'any',
      }),
    ],
  },
} as const;

const webhookAdmission = {
  kind: 'WebhookAdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  fields: { kubeConfigFile: 'string', staticManifestsDir: 'string' },
} as const;

const readers = tableOf<(text: string) => Promise<PluginConfigurations[keyof PluginConfigurations]>>({
  PodSecurity: readPodSecurity,
  MutatingAdmissionWebhook: readWebhookAdmission,
  ValidatingAdmissionWebhook: readWebhookAdmission,
});

/**
 * Plugins that kube-apiserver can configure and this server cannot: their configuration would have no effect.
 */
const unsupported = ['ResourceQuota', 'MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'];

/**
 * Reads the configurations of the enabled plugins from a file and ignores all others. Throws OperatorError
 * with kube-apiserver's message.
 */
export async function readPluginConfigurations(
  file: string,
  isOn: (plugin: string) => boolean,
): Promise<PluginConfigurations> {
  const found: Record<string, unknown> = {};
  for (const plugin of await readPlugins(file)) {
    const { name } = plugin;
    // If a plugin is named twice, the first entry applies.
    if (!isOn(name) || Object.hasOwn(found, name)) continue;
    const text = await textOf(plugin, file);
    if (text === undefined) continue;
    if (unsupported.includes(name)) {
      throw configurationError(
        `couldn't init admission plugin "${name}": this server does not support a configuration of it`,
      );
    }
    const read = readers.get(name);
    if (read !== undefined) setOwn(found, name, await read(text).catch((cause: Error) => fail(name, cause)));
  }
  return found;
}

function fail(name: string, cause: Error): never {
  const what = cause instanceof InitializationError ? 'failed to initialize' : "couldn't init";
  throw configurationError(`${what} admission plugin "${name}": ${cause.message}`, cause);
}

const configurationError = (why: string, cause?: unknown): OperatorError =>
  new OperatorError('FILE_UNREADABLE', `failed to apply admission: ${why}`, { cause });

async function readPlugins(file: string): Promise<PluginConfiguration[]> {
  const text = await readTextFile(file).catch((cause: NodeJS.ErrnoException) => {
    const why = `unable to read admission control configuration from "${file}" [open ${file}: ${reasonOf(cause)}]`;
    throw configurationError(`failed to read plugin config: ${why}`, cause);
  });
  const { plugins } = await readConfiguration(text, admissionConfiguration).catch((cause: Error) => {
    throw configurationError(`failed to read plugin config: ${cause.message}`, cause);
  });
  return plugins as PluginConfiguration[];
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? 'no such file or directory' : message;

/** An inline configuration precedes a path. Paths are relative to the folder of the file. */
async function textOf(
  { name, path, configuration }: PluginConfiguration,
  file: string,
): Promise<string | undefined> {
  if (configuration !== undefined && configuration !== null) return stringifyJson(configuration);
  if (path === '') return undefined;
  const at = resolve(dirname(resolve(file)), path);
  return await readTextFile(at).catch((cause: NodeJS.ErrnoException) => {
    throw configurationError(`configuration of ${name}: open ${at}: ${reasonOf(cause)}`, cause);
  });
}

async function readWebhookAdmission(text: string): Promise<CredentialsFor | undefined> {
  const read = await readConfiguration(text, webhookAdmission);
  const [file, manifests] = [read.kubeConfigFile as string, read.staticManifestsDir as string];
  if (file !== '' && !isAbsolute(file)) {
    const error = fieldErrors.invalid(FieldPath.of('kubeConfigFile'), file, 'must be an absolute file path');
    throw new ConfigurationError(fieldErrorText(error));
  }
  if (manifests !== '') {
    const why =
      'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';
    throw new ConfigurationError(
      fieldErrorText(fieldErrors.forbidden(FieldPath.of('staticManifestsDir'), why)),
    );
  }
  if (file === '') return undefined;
  const users = await loadUsers(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigurationError(
      cause.code === 'ENOENT' ? `stat ${file}: ${reasonOf(cause)}` : cause.message,
    );
  });
  return credentialsOf(users);
}
