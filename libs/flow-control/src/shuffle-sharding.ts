import { createHash } from 'node:crypto';

/** A hand needs fewer than 64 bits of a hash. */
export const usableHashBits = 60;
/** The maximum number of flows whose hands are remembered. */
export const maxKnownHands = 10_000;
/** The maximum characters of a flow whose hand is remembered: clients choose names of namespaces, and some those of users. */
export const maxKnownFlowLength = 256;

/** Returns the number of bits of a hash that choose a hand, rounded up. */
export const entropyBits = (queues: number, handSize: number): number =>
  Math.ceil(Math.log2(queues) * handSize);

/**
 * Deals each flow a hand of queues. Flows with many requests fill the queues of their hands; other flows rarely have the same
 * hand, so they have an empty queue. Source: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#shuffle-sharding
 */
export class Dealer {
  readonly #queues: number;
  readonly #handSize: number;
  readonly #hands = new Map<string, readonly number[]>();

  /** The hand is at most as large as the number of queues, and needs at most `usableHashBits`. */
  constructor(queues: number, handSize: number) {
    this.#queues = queues;
    this.#handSize = handSize;
  }

  /** Returns the indexes of the queues of a flow, each once. */
  hand(schema: string, distinguisher: string): readonly number[] {
    const flow = `${schema}\0${distinguisher}`;
    let hand = this.#hands.get(flow);
    if (hand === undefined) {
      hand = this.deal(createHash('sha256').update(flow).digest().readBigUInt64LE());
      if (flow.length > maxKnownFlowLength) return hand;
      if (this.#hands.size >= maxKnownHands) this.#hands.clear();
      this.#hands.set(flow, hand);
    }
    return hand;
  }

  /** Returns the hand that a hash of 64 bits chooses. */
  deal(hash: bigint): readonly number[] {
    const remainders: number[] = [];
    for (let i = 0; i < this.#handSize; i++) {
      const left = BigInt(this.#queues - i);
      remainders.push(Number(hash % left));
      hash /= left;
    }
    // A remainder counts only the queues that were not dealt before.
    return remainders.map((remainder, i) => {
      let queue = remainder;
      for (let j = i - 1; j >= 0; j--) if (queue >= remainders[j]!) queue++;
      return queue;
    });
  }
}
