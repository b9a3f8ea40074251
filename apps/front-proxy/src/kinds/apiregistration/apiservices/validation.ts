import { Buffer } from 'node:buffer';
import {
  type FieldError,
  FieldPath,
  fieldErrors,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validatePortNumber,
} from '@annex/machinery';
import { type ApiService, type ApiServiceCondition, isRemote, portOf } from '@annex/aggregation';

const spec = FieldPath.of('spec');

/** Returns the validation errors of an APIService without its metadata, in kube's order. */
export function validateApiService(apiService: ApiService): FieldError[] {
  const { group = '', version = '' } = apiService.spec;
  return [
    ...(['generateName', 'name'] as const).flatMap((field) =>
      nameErrors(field, apiService.metadata[field] ?? '', `${version}.${group}`),
    ),
    ...groupErrors(group, version),
    ...validateDns1035Label(version).map((why) => fieldErrors.invalid(spec.child('version'), version, why)),
    ...priorityErrors('groupPriorityMinimum', apiService.spec.groupPriorityMinimum, 20_000),
    ...priorityErrors('versionPriority', apiService.spec.versionPriority, 1_000),
    ...(isRemote(apiService) ? serviceErrors(apiService) : localErrors(apiService)),
  ];
}

function nameErrors(field: 'generateName' | 'name', name: string, required: string): FieldError[] {
  // A name that is not a path segment has that error only.
  if (name === '' || name === required || validatePathSegmentName(name).length > 0) return [];
  const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(required)}`;
  return [fieldErrors.invalid(`metadata.${field}`, name, why)];
}

function groupErrors(group: string, version: string): FieldError[] {
  const path = spec.child('group');
  if (group !== '')
    return validateDns1123Subdomain(group).map((why) => fieldErrors.invalid(path, group, why));
  if (version === 'v1') return [];
  return [fieldErrors.required(path, 'only v1 may have an empty group and it better be legacy kube')];
}

// The message says "less than", but kube-apiserver accepts the bound too.
function priorityErrors(field: string, value: number | undefined, max: number): FieldError[] {
  const provided = value ?? 0;
  if (provided > 0 && provided <= max) return [];
  return [fieldErrors.invalid(spec.child(field), provided, `must be positive and less than ${max}`)];
}

function localErrors({ spec: { caBundle = '', insecureSkipTLSVerify = false } }: ApiService): FieldError[] {
  const errors: FieldError[] = [];
  if (caBundle) {
    const size = `${Buffer.from(caBundle, 'base64').length} bytes`;
    errors.push(
      fieldErrors.invalid(spec.child('caBundle'), size, 'local APIServices may not have a caBundle'),
    );
  }
  if (insecureSkipTLSVerify) {
    const why = 'local APIServices may not have insecureSkipTLSVerify';
    errors.push(fieldErrors.invalid(spec.child('insecureSkipTLSVerify'), true, why));
  }
  return errors;
}

function serviceErrors(apiService: ApiService): FieldError[] {
  const { service, caBundle, insecureSkipTLSVerify } = apiService.spec;
  const path = spec.child('service');
  const errors: FieldError[] = [];
  if (!service?.namespace) errors.push(fieldErrors.required(path.child('namespace')));
  if (!service?.name) errors.push(fieldErrors.required(path.child('name')));
  if (service) {
    const port = portOf(service);
    const whys = validatePortNumber(port);
    if (whys.length > 0) {
      errors.push(fieldErrors.invalid(path.child('port'), port, `port is not valid: ${whys.join(', ')}`));
    }
  }
  if (insecureSkipTLSVerify && caBundle) {
    const why = 'may not be true if caBundle is present';
    errors.push(fieldErrors.invalid(spec.child('insecureSkipTLSVerify'), true, why));
  }
  return errors;
}

const conditionStatuses = ['True', 'False', 'Unknown'] as const;

/** Returns the validation errors of the status of an APIService. */
export function validateApiServiceStatus(
  conditions: readonly ApiServiceCondition[] | undefined,
): FieldError[] {
  return (conditions ?? []).flatMap((condition, i) =>
    conditionStatuses.includes(condition.status)
      ? []
      : [
          fieldErrors.notSupported(
            FieldPath.of('status', 'conditions').index(i).child('status'),
            condition.status,
            conditionStatuses,
          ),
        ],
  );
}
