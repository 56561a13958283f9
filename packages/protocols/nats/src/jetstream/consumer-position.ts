import type { ConsumerConfig } from './consumer-config.js';
import type { SubjectFilter } from './filters.js';
import type { MessageStore } from './message-store.js';

/** Where a consumer begins: at a sequence, or with some messages first, before it goes on there. */
export interface Start {
  readonly sequence: number;
  /** Only these of the messages before `sequence` are delivered, in order. */
  readonly first?: readonly number[];
}

/** Finds where a new consumer begins in what the stream holds. */
export function startOf(config: ConsumerConfig, filter: SubjectFilter, messages: MessageStore): Start {
  const end = messages.lastSequence + 1;
  switch (config.deliver_policy) {
    case 'all':
      return { sequence: messages.firstSequence };
    case 'new':
      return { sequence: end };
    case 'last':
      return { sequence: messages.last(filter)?.sequence ?? end };
    case 'last_per_subject': {
      const first = Array.from(messages.lastOfEach(filter), ({ sequence }) => sequence).sort((a, b) => a - b);
      return { sequence: end, first };
    }
    case 'by_start_sequence':
      return { sequence: Math.max(config.opt_start_seq ?? 1, messages.firstSequence) };
    case 'by_start_time': {
      const time = Date.parse(config.opt_start_time ?? '');
      for (const message of messages.values())
        if (message.time >= time) return { sequence: message.sequence };
      return { sequence: end };
    }
  }
}
