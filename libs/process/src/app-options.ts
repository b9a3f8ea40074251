import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { type ServedApisConfig, servedApisConflicts, servedApisOptions } from '@annex/server';
import { type AdmissionConfig, admissionConflicts, admissionOptions } from '@annex/admission';
import { type StandaloneConfig, standaloneOptions } from './options.ts';

/** The configuration of an app in a separate process that serves kinds. */
export interface AppConfig extends StandaloneConfig, ServedApisConfig, AdmissionConfig {}

/** The options of such an app. */
export const appOptions: OptionsTable<AppConfig> = {
  ...standaloneOptions,
  ...servedApisOptions,
  ...admissionOptions,
};

/** Returns the conflicts of these options. */
export const appConflicts: ConflictCheck<AppConfig> = (config) => [
  ...servedApisConflicts(config),
  ...admissionConflicts(config),
];
