import type { AnswerSteps } from './api-request.js';
import {
  checkConsumerUpdate,
  filtersOf,
  nameOf,
  readConsumerConfig,
  type ConsumerConfig,
} from './consumer-config.js';
import { Consumer } from './consumer.js';
import { dateText } from './dates.js';
import { API_ERRORS } from './errors.js';
import { Fields } from './fields.js';
import { overlap } from './filters.js';
import type { Stream } from './stream.js';
import type { Streams } from './streams.js';
import { MAX_CONSUMERS_OF_STREAM } from './surroundings.js';

const PAGE = { names: 1024, list: 256 } as const;

type Answer = Readonly<Record<string, unknown>>;

/** How a consumer is asked for: by which form of the subject, and what that names. */
export interface ConsumerAsked {
  readonly stream: string;
  readonly form: 'ephemeral' | 'durable' | 'named';
  readonly name?: string;
  readonly filter?: string;
}

/** Requests about consumers; each gives its answer without its type. */
export class ConsumerApi {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  create(asked: ConsumerAsked, payload: Buffer): Answer {
    const request = Fields.read(payload);
    const named = request.text('stream_name');
    if (named !== asked.stream) throw API_ERRORS.streamMismatch();
    const fields = request.object('config') ?? new Fields({});
    checkForm(asked, fields);
    const stream = this.#streams.get(asked.stream);
    const config = readConsumerConfig(fields, stream.config);
    const name = nameOf(config);
    const known = name === undefined ? undefined : stream.consumers.get(name);
    if (known !== undefined) return this.#update(stream, known, config);
    this.#checkNew(stream, config);
    const around = this.#streams.around;
    const consumer = new Consumer(stream, name ?? around.newId().slice(0, 8), config, around);
    stream.consumers.set(consumer.name, consumer);
    around.countConsumers(1);
    return describeConsumer(stream, consumer);
  }

  info(stream: string, name: string): Answer {
    const found = this.#streams.get(stream);
    return describeConsumer(found, this.#get(found, name));
  }

  names(stream: string, payload: Buffer): AnswerSteps {
    return this.#page(stream, payload, 'names', ({ name }) => name);
  }

  list(stream: string, payload: Buffer): AnswerSteps {
    const found = this.#streams.get(stream);
    return this.#page(stream, payload, 'list', (consumer) => describeConsumer(found, consumer));
  }

  delete(stream: string, name: string): Answer {
    const found = this.#streams.get(stream);
    this.#get(found, name);
    found.deleteConsumer(name);
    return { success: true };
  }

  #get(stream: Stream, name: string): Consumer {
    const consumer = stream.consumers.get(name);
    if (consumer === undefined) throw API_ERRORS.consumerNotFound();
    return consumer;
  }

  #update(stream: Stream, consumer: Consumer, config: ConsumerConfig): Answer {
    checkConsumerUpdate(consumer.config, config, consumer.isBound);
    if (filtersOf(config).join() === filtersOf(consumer.config).join()) {
      consumer.update(config);
      return describeConsumer(stream, consumer);
    }
    throw API_ERRORS.consumerCreate('filter subject can not be updated');
  }

  #checkNew(stream: Stream, config: ConsumerConfig): void {
    const { max_consumers: most, retention } = stream.config;
    const { size } = stream.consumers;
    if ((most > 0 && size >= most) || size >= MAX_CONSUMERS_OF_STREAM || this.#streams.hasAllConsumers) {
      throw API_ERRORS.maximumConsumers();
    }
    if (retention !== 'workqueue') return;
    if (config.ack_policy !== 'explicit') throw API_ERRORS.workQueueNeedsExplicit();
    if (size > 0) {
      const filters = filtersOf(config);
      if (filters.length === 0) throw API_ERRORS.workQueueUnfiltered();
      for (const other of stream.consumers.values()) {
        const others = other.filters.length === 0 ? ['>'] : other.filters;
        if (others.some((one) => filters.some((filter) => overlap(one, filter)))) {
          throw API_ERRORS.workQueueNotUnique();
        }
      }
    }
    if (config.deliver_policy !== 'all') throw API_ERRORS.workQueueNotAll();
  }

  *#page(
    stream: string,
    payload: Buffer,
    kind: keyof typeof PAGE,
    show: (consumer: Consumer) => unknown,
  ): AnswerSteps {
    const all = [...this.#streams.get(stream).consumers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const offset = Math.max(0, Fields.read(payload, {}).number('offset'));
    const limit = PAGE[kind];
    const consumers: unknown[] = [];
    for (const consumer of all.slice(offset, offset + limit)) {
      consumers.push(show(consumer));
      yield;
    }
    return { total: all.length, offset, limit, consumers };
  }
}

/** A consumer as requests are answered with it. */
export function describeConsumer({ config: { name: stream } }: Stream, consumer: Consumer): Answer {
  const { config, pending, floor } = consumer;
  const { delivered, acknowledged } = consumer.times;
  return {
    stream_name: stream,
    name: consumer.name,
    created: dateText(consumer.created),
    config: showConfig(config),
    delivered: {
      consumer_seq: consumer.delivered,
      stream_seq: Math.max(0, consumer.lastDelivered),
      ...(delivered === 0 ? {} : { last_active: dateText(delivered) }),
    },
    ack_floor: {
      consumer_seq: floor[0],
      stream_seq: floor[1],
      ...(acknowledged === 0 ? {} : { last_active: dateText(acknowledged) }),
    },
    num_ack_pending: pending.size,
    num_redelivered: consumer.counts.size,
    num_waiting: consumer.pulls.size,
    num_pending: consumer.unread,
    ...(consumer.isBound ? { push_bound: true } : {}),
  };
}

function showConfig(config: ConsumerConfig): ConsumerConfig {
  const { filter_subject: one, filter_subjects: many, deliver_subject: subject } = config;
  return {
    ...config,
    ...(one === undefined ? {} : { filter_subject: text(one) }),
    ...(many === undefined ? {} : { filter_subjects: many.map(text) }),
    ...(subject === undefined ? {} : { deliver_subject: text(subject) }),
  };
}

function text(subject: string): string {
  return Buffer.from(subject, 'latin1').toString('utf8');
}

function checkForm({ form, name, filter }: ConsumerAsked, fields: Fields): void {
  const durable = fields.text('durable_name');
  if (form === 'ephemeral' && durable !== '') throw API_ERRORS.ephemeralWithName();
  if (form === 'durable' && durable === '') throw API_ERRORS.durableNotSet();
  if (form === 'durable' && durable !== name) throw API_ERRORS.durableMismatch();
  if (form === 'named' && fields.text('name', durable) !== name) throw API_ERRORS.nameMismatch();
  const given = fields.text('filter_subject');
  if (filter !== undefined && Buffer.from(given, 'utf8').toString('latin1') !== filter) {
    throw API_ERRORS.filterMismatch();
  }
}
