import { aggregateText } from '@annex/auth';
import { FieldPath, fieldErrors, type KubeObject, unclassified } from '@annex/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@annex/server';
import { refuse } from './refuse.ts';

interface ImageUser {
  image?: string;
  imagePullPolicy?: string;
}

interface Spec {
  initContainers?: ImageUser[] | null;
  containers?: ImageUser[] | null;
  ephemeralContainers?: ImageUser[] | null;
  volumes?: { image?: { pullPolicy?: string } | null }[] | null;
}

/**
 * Sets the pull policy of all images of a Pod to Always, so that each node checks the credentials of the Pod. Source: "AlwaysPullImages" of
 * the admission controllers documentation.
 */
export const alwaysPullImages = (): AdmissionPlugin => ({
  name: 'AlwaysPullImages',
  resources: ['/pods'],
  mutate(attributes) {
    if (isIgnored(attributes)) return;
    const spec = specOf(attributes.object);
    for (const [, container] of containersOf(spec)) container.imagePullPolicy = 'Always';
    for (const { image } of spec.volumes ?? []) if (image) image.pullPolicy = 'Always';
  },
  validate(attributes) {
    if (isIgnored(attributes)) return;
    const spec = specOf(attributes.object);
    const found = [
      ...containersOf(spec).map(
        ([at, { imagePullPolicy = '' }]) => [at.child('imagePullPolicy'), imagePullPolicy] as const,
      ),
      ...(spec.volumes ?? []).flatMap(({ image }, i) =>
        image
          ? [
              [
                at.child('volumes').index(i).child('image').child('pullPolicy'),
                image.pullPolicy ?? '',
              ] as const,
            ]
          : [],
      ),
    ];
    const errors = found
      .filter(([, policy]) => policy !== 'Always')
      .map(([path, policy]) =>
        refuse(attributes, String(fieldErrors.notSupported(path, policy, ['Always']))),
      );
    // kube-apiserver joins the errors, and the result has no reason.
    if (errors.length > 0) throw unclassified(aggregateText(errors.map(({ message }) => message)));
  },
});

const at = FieldPath.of('spec');

const specOf = (object: KubeObject | undefined): Spec => (object?.spec ?? {}) as Spec;

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

const containersOf = (spec: Spec): [FieldPath, ImageUser][] =>
  lists.flatMap((list) =>
    (spec[list] ?? []).map((container, i): [FieldPath, ImageUser] => [at.child(list).index(i), container]),
  );

/** Updates without a new image are left alone. */
function isIgnored({ operation, object, oldObject, subresource }: AdmissionAttributes): boolean {
  if (subresource !== '' || object === undefined) return true;
  if (operation !== 'UPDATE') return false;
  const old = new Set(containersOf(specOf(oldObject)).map(([, { image }]) => image));
  return containersOf(specOf(object)).every(([, { image }]) => old.has(image));
}
