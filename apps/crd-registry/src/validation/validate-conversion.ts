import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  repetitions,
  validateDns1035Label,
} from '@annex/machinery';
import { caBundleError } from '../crd/ca-bundle.ts';

import type { InternalConversion } from '../crd/internal-form.ts';
import { validateWebhookService, validateWebhookUrl, type WebhookClientConfig } from '@annex/admission';

const { forbidden, invalid, notSupported, required } = fieldErrors;

export interface ConversionRules {
  /** At least one review version must be supported by the server. */
  knownReviewVersion: boolean;
  /** Accepts a caBundle that is not PEM. */
  anyCaBundle: boolean;
}

/** The review versions that the server supports, in the order in which it prints them. */
export const reviewVersions = ['v1', 'v1beta1'];

/** Validates `spec.conversion`. */
export function validateConversion(
  conversion: InternalConversion | undefined,
  rules: ConversionRules,
  path: FieldPath,
): FieldError[] {
  if (conversion === undefined) return [];
  const errors = validateStrategy(conversion.strategy, path.child('strategy'));
  const client = path.child('webhookClientConfig');
  const versions = path.child('conversionReviewVersions');
  if (conversion.strategy === 'Webhook') {
    const config = conversion.webhookClientConfig;
    errors.push(
      ...(config
        ? validateClientConfig(config, rules, client)
        : [required(client, 'required when strategy is set to Webhook')]),
      ...validateReviewVersions(conversion.conversionReviewVersions ?? [], rules, versions),
    );
    return errors;
  }
  const unwanted = 'should not be set when strategy is not set to Webhook';
  if (conversion.webhookClientConfig) errors.push(forbidden(client, unwanted));
  if (conversion.conversionReviewVersions?.length) errors.push(forbidden(versions, unwanted));
  return errors;
}

function validateStrategy(strategy: string, path: FieldPath): FieldError[] {
  if (strategy === '') return [required(path)];
  const known = ['None', 'Webhook'];
  return known.includes(strategy) ? [] : [notSupported(path, strategy, known)];
}

function validateClientConfig(
  config: WebhookClientConfig,
  rules: ConversionRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const { url, service, caBundle } = config;
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(path, 'exactly one of url or service is required'));
  } else if (url !== undefined) {
    errors.push(...validateWebhookUrl(url, path.child('url')));
  } else if (service !== undefined) {
    errors.push(...validateWebhookService(service, path.child('service')));
  }
  const error = caBundle && !rules.anyCaBundle ? caBundleError(caBundle) : undefined;
  if (error) errors.push(invalid(path.child('caBundle'), caBundle, error));
  return errors;
}

function validateReviewVersions(versions: string[], rules: ConversionRules, path: FieldPath): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const isRepeated = repetitions();
  const errors = versions.flatMap((version, i) => {
    if (isRepeated(version)) return [invalid(path.index(i), version, 'duplicate version')];
    return validateDns1035Label(version).map((error) => invalid(path.index(i), version, error));
  });
  if (rules.knownReviewVersion && !versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return errors;
}
