import type { Device, DeviceRequestBody, DeviceTaint } from '../../objects/devices.ts';
import type { Toleration } from '../../objects/pod.ts';

/** Returns whether a request tolerates the taints of a device. Unknown effects have no effect. */
export const toleratesDevice = ({ tolerations = [] }: DeviceRequestBody, { taints = [] }: Device): boolean =>
  taints.every(
    (taint) =>
      (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') ||
      tolerations.some((toleration) => tolerates(toleration, taint)),
  );

/** Differs from nodes: a toleration without a key can have the operator Equal. */
function tolerates(
  { key = '', operator = '', value = '', effect = '' }: Toleration,
  taint: DeviceTaint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}
