import { slicedBodyBytes } from '../decoding/body-limits.ts';
import { isLarge } from '../large-objects.ts';
import type { WriteContext } from './context.ts';

/** Returns whether the passes of a write yield to other requests: its body or the stored object is large, or what admission made of it. */
export const isLargeWrite = ({ body, current, hasGrown }: WriteContext): boolean =>
  hasGrown || body.length >= slicedBodyBytes || isLarge(current?.stored);
