import { type Authorizer, requestedOrganizations, type UserInfo } from '@annex/auth';
import { deepEqual, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { refuse } from './refuse.ts';

const resources = ['certificates.k8s.io/certificatesigningrequests'];
const apiServerClient = 'kubernetes.io/kube-apiserver-client';

/**
 * Approval of a certificate request requires the verb "approve" for its signer. Source: "CertificateApproval"
 * of the admission controllers documentation.
 */
export function certificateApproval(_: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources,
    async validate(attributes) {
      const { operation, subresource, oldObject } = attributes;
      if (operation !== 'UPDATE' || subresource !== 'approval') return;
      const signer = signerOf(oldObject);
      if (await isAuthorizedFor(authorizer, attributes.request.user, 'approve', signer)) return;
      throw refuse(
        attributes,
        `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`,
      );
    },
  };
}

/**
 * Writing a certificate requires the verb "sign" for its signer. Source: "CertificateSigning" of the
 * admission controllers documentation.
 */
export function certificateSigning(_: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    resources,
    async validate(attributes) {
      const { operation, subresource, object, oldObject } = attributes;
      if (operation !== 'UPDATE' || subresource !== 'status' || isUnsigned(object, oldObject)) return;
      const signer = signerOf(oldObject);
      if (await isAuthorizedFor(authorizer, attributes.request.user, 'sign', signer)) return;
      throw refuse(
        attributes,
        `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`,
      );
    },
  };
}

/**
 * Refuses client certificates for the group system:masters. Source: "CertificateSubjectRestriction" of the
 * admission controllers documentation.
 */
export const certificateSubjectRestriction = (): AdmissionPlugin => ({
  name: 'CertificateSubjectRestriction',
  resources,
  validate(attributes) {
    if (attributes.operation !== 'CREATE' || attributes.subresource !== '') return;
    const spec = specOf(attributes.object);
    if (spec.signerName !== apiServerClient) return;
    if (!organizationsOf(attributes, spec).includes('system:masters')) return;
    throw refuse(attributes, `use of ${apiServerClient} signer with system:masters group is not allowed`);
  },
});

function organizationsOf(attributes: AdmissionAttributes, spec: JsonObject): string[] {
  try {
    return requestedOrganizations(Buffer.from(String(spec.request ?? ''), 'base64').toString());
  } catch (error) {
    throw refuse(attributes, `failed to parse CSR: ${(error as Error).message}`);
  }
}

const specOf = (object: KubeObject | undefined): JsonObject => (isObject(object?.spec) ? object.spec : {});
const signerOf = (object: KubeObject | undefined): string => String(specOf(object).signerName ?? '');

function isUnsigned(object: KubeObject | undefined, oldObject: KubeObject | undefined): boolean {
  const written = (one: KubeObject | undefined) => {
    const { certificate = '', conditions = [] } = isObject(one?.status) ? one.status : {};
    return { certificate, conditions };
  };
  return deepEqual(written(object), written(oldObject));
}

/** A signer is authorized by its name, or all signers of a domain by `domain/*`. */
async function isAuthorizedFor(
  authorizer: Authorizer,
  user: UserInfo,
  verb: 'approve' | 'sign',
  signer: string,
): Promise<boolean> {
  for (const name of [signer, `${signer.split('/')[0]}/*`]) {
    const { decision } = await authorizer.authorize({
      user,
      verb,
      resourceRequest: true,
      apiGroup: 'certificates.k8s.io',
      apiVersion: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
    });
    if (decision === 'allow') return true;
  }
  return false;
}
