import { definePlugin, type NodeInfo, type PodInfo, unschedulable } from '@annex/scheduler';

const tooExpensive = unschedulable('node(s) cost more than the pod allows');

/** Returns the highest price that a Pod allows. */
const limitOf = ({ pod }: PodInfo): number =>
  Number(pod.metadata.annotations?.['example.com/max-price'] ?? Infinity);

/** Prefers nodes with a low price, and keeps Pods away from nodes that are more expensive than they allow. */
export const nodePrice = definePlugin({
  name: 'NodePrice',
  args: {
    type: 'object',
    properties: {
      label: { type: 'string', default: 'example.com/price' },
      unknownPrice: { type: 'integer', minimum: 0, default: 100 },
    },
  },
  create({ label, unknownPrice }) {
    const priceOf = ({ labels }: NodeInfo): number => Number(labels.get(label) ?? unknownPrice);
    return {
      // A Pod that was refused is tried again when a node is new, or has another price that the Pod allows.
      events: [
        {
          resource: 'Node',
          actions: ['Add', 'UpdateNodeLabel'],
          hint: (pod, _before, after) => after !== undefined && priceOf(after) <= limitOf(pod),
        },
      ],
      filter: (_cycle, pod, node) => (priceOf(node) <= limitOf(pod) ? undefined : tooExpensive),
      score: (_cycle, _pod, node) => priceOf(node),
      // Scores are from 0 to 100; the cheapest node has the highest.
      normalize(_cycle, _pod, prices) {
        const highest = Math.max(...prices, 1);
        prices.forEach((price, i) => (prices[i] = 100 - (100 * price) / highest));
      },
    };
  },
});
