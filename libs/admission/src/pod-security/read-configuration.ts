import { configurationStruct, readConfiguration } from '@annex/auth';
import {
  type FieldError,
  fieldErrors,
  fieldErrorText,
  FieldPath,
  getOwn,
  nameIsDnsSubdomain,
  validateDns1123Label,
} from '@annex/machinery';
import { InitializationError } from '../initialization-error.ts';
import type { PodSecurityConfiguration } from './configuration.ts';
import { modes, parseLevel, parseVersion, type PodSecurityPolicy, InvalidValue } from './levels.ts';

const group = 'pod-security.admission.config.k8s.io';

const defaults = Object.fromEntries(
  modes.flatMap((mode) => [
    [mode, 'string' as const],
    [`${mode}-version`, 'string' as const],
  ]),
);

const podSecurityConfiguration = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`),
  fields: {
    defaults: configurationStruct('PodSecurityDefaults', defaults),
    exemptions: configurationStruct('PodSecurityExemptions', {
      usernames: ['string'],
      namespaces: ['string'],
      runtimeClasses: ['string'],
    }),
  },
} as const;

type Exemptions = PodSecurityConfiguration['exemptions'];

/** Reads a PodSecurityConfiguration. Throws kube-apiserver's message. */
export async function readPodSecurity(text: string): Promise<PodSecurityConfiguration> {
  const read = await readConfiguration(text, podSecurityConfiguration);
  const policy = defaultsOf(read.defaults as Record<string, string>);
  const exemptions = read.exemptions as Exemptions;
  const errors = exemptionErrors(exemptions);
  if (errors.length > 0) {
    throw new InitializationError(`PodSecurity invalid: ${joined(errors.map(fieldErrorText))}`);
  }
  return { defaults: policy, exemptions };
}

const joined = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;

function defaultsOf(sent: Readonly<Record<string, string>>): PodSecurityPolicy {
  const errors: string[] = [];
  const parse = <T>(field: string, otherwise: string, parser: (text: string) => T): T => {
    try {
      return parser(getOwn(sent, field) || otherwise);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      errors.push(`${field}: ${error.message}`);
      return parser(otherwise);
    }
  };
  const policy = Object.fromEntries(
    modes.map((mode) => [
      mode,
      {
        level: parse(mode, 'privileged', parseLevel),
        version: parse(`${mode}-version`, 'latest', parseVersion),
      },
    ]),
  ) as PodSecurityPolicy;
  if (errors.length === 0) return policy;
  throw new InitializationError(`PodSecurity configuration error: ${joined(errors)}`);
}

/** Returns the validation error of one name in a list. */
const nameErrors: Readonly<Record<keyof Exemptions, (name: string) => readonly string[]>> = {
  namespaces: (name) => validateDns1123Label(name),
  runtimeClasses: (name) => nameIsDnsSubdomain(name, false),
  usernames: (name) => (name === '' ? ['username must not be empty'] : []),
};

const exemptionErrors = (exemptions: Exemptions): FieldError[] =>
  (Object.keys(nameErrors) as (keyof Exemptions)[]).flatMap((list) => {
    const seen = new Set<string>();
    return exemptions[list].flatMap((name, i) => {
      const at = FieldPath.of('exemptions').child(list).index(i);
      const errors = nameErrors[list](name);
      if (errors.length > 0) return [fieldErrors.invalid(at, name, errors.join(', '))];
      if (seen.has(name)) return [fieldErrors.duplicate(at, name)];
      seen.add(name);
      return [];
    });
  });
