import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';

/** Lets every mutating plugin change the object, in the order of the list; once more where one of them asks for it. */
export async function mutateBy(
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): Promise<void> {
  for (const plugin of plugins) await plugin.mutate?.(request);
  if (!request.reinvocation.wanted) return;
  request.reinvocation.again = true;
  for (const plugin of plugins) await plugin.mutate?.(request);
}

/** Lets every validating plugin refuse, in the order of the list. */
export async function validateBy(
  plugins: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): Promise<void> {
  for (const plugin of plugins) await plugin.validate?.(request);
}
