import {
  errorsOfEach,
  fieldErrors,
  type JsonObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  repetitions,
} from '@annex/machinery';
import { type Check, isMissing, objectsOf, presentText } from '../checks.ts';

const { invalid, required, duplicate } = fieldErrors;

/** Returns the Go value of a claim. */
const goClaim = ({ name, resourceClaimName, resourceClaimTemplateName }: JsonObject) => ({
  Name: name ?? '',
  ResourceClaimName: resourceClaimName ?? null,
  ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
});

const objectName = presentText(validateDns1123Subdomain);

/** Checks the claims of a pod: their names, and that each refers to a claim or to a template. */
export const resourceClaims: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), (claim, index) => {
    const where = at.index(index);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const isSecond = isRepeated(name);
    const named = isMissing(name)
      ? [required(where.child('name'))]
      : isSecond
        ? [duplicate(where.child('name'), name)]
        : validateDns1123Label(String(name)).map((why) => invalid(where.child('name'), name, why));
    const count = [resourceClaimName, resourceClaimTemplateName].filter(
      (one) => (one ?? null) !== null,
    ).length;
    const text =
      count === 0
        ? 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'
        : 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    return [
      ...named,
      ...(count === 1 ? [] : [invalid(where, goClaim(claim), text)]),
      ...objectName(resourceClaimName, where.child('resourceClaimName')),
      ...objectName(resourceClaimTemplateName, where.child('resourceClaimTemplateName')),
    ];
  });
};
