import { optionGroup, type OptionsTable } from '@annex/runtime';

/** How long events are kept. */
export interface EventConfig {
  eventTtl: number;
}

/** kube-apiserver's option with that name. */
export const eventOptions: OptionsTable<EventConfig> = optionGroup('APIs', {
  eventTtl: {
    flag: 'event-ttl',
    type: 'duration',
    default: 3_600_000,
    min: 1_000,
    help: 'How long events are kept.',
  },
});
