import { horizontalPodAutoscalers } from './horizontalpodautoscalers/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `autoscaling`. */
export const autoscalingGroup: readonly BuiltinKind[] = [horizontalPodAutoscalers];
