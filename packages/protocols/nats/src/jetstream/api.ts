import { runInSlices } from '@backlot/core/plugin';
import { ApiError } from './errors.js';
import type { AnswerSteps, ApiRequest } from './api-request.js';
import { ConsumerApi } from './consumer-api.js';
import type { JetStreamSettings } from './configured.js';
import { dateText } from './dates.js';
import { Fields } from './fields.js';
import type { Usage } from './message-store.js';
import { StreamApi, findMessage } from './stream-api.js';
import type { Stream } from './stream.js';
import type { Streams } from './streams.js';
import { withHeaders } from './stored-message.js';

const TYPE = 'io.nats.jetstream.api.v1';
const NOTHING = Buffer.alloc(0);

/** A message that is the answer to a direct request. */
interface DirectAnswer {
  readonly headerBytes: Buffer;
  readonly payload: Buffer;
}

/** What of an answer is there, and empty, beside an error. */
const NO_PAGE = { total: 0, offset: 0, limit: 0 };
const EMPTY: ReadonlyMap<string, object> = new Map<string, object>([
  ['stream_info', NO_PAGE],
  ['stream_purge', { purged: 0 }],
  ['consumer_names', { ...NO_PAGE, consumers: [] }],
  ['consumer_list', { ...NO_PAGE, consumers: [] }],
]);

/** What a request is answered with: a text, a message, or nothing. */
export type ApiAnswer = string | DirectAnswer;

/** Gives the answer, or the steps in which it is made where it may take long. */
type Call = (request: ApiRequest, words: readonly string[]) => object | AnswerSteps;

/** The requests below `$JS.API.`. */
export class Api {
  readonly #streams: Streams;
  readonly #calls: ReadonlyMap<string, readonly [type: string, call: Call]>;
  #total = 0;
  #errors = 0;

  constructor(streams: Streams, usage: Usage, settings: JetStreamSettings) {
    this.#streams = streams;
    const stream = new StreamApi(streams);
    const consumer = new ConsumerApi(streams);
    // By the words in front, and how many words follow.
    this.#calls = new Map<string, readonly [string, Call]>([
      ['INFO/0', ['account_info', () => this.#account(usage, settings)]],
      ['STREAM.CREATE/1', ['stream_create', ({ payload }, [name = '']) => stream.create(name, payload)]],
      ['STREAM.UPDATE/1', ['stream_update', ({ payload }, [name = '']) => stream.update(name, payload)]],
      ['STREAM.NAMES/0', ['stream_names', ({ payload }) => stream.names(payload)]],
      ['STREAM.LIST/0', ['stream_list', ({ payload }) => stream.list(payload)]],
      ['STREAM.INFO/1', ['stream_info', ({ payload }, [name = '']) => stream.info(name, payload)]],
      ['STREAM.DELETE/1', ['stream_delete', (_, [name = '']) => stream.delete(name)]],
      ['STREAM.PURGE/1', ['stream_purge', ({ payload }, [name = '']) => stream.purge(name, payload)]],
      [
        'STREAM.MSG.GET/1',
        ['stream_msg_get', ({ payload }, [name = '']) => stream.getMessage(name, payload)],
      ],
      [
        'STREAM.MSG.DELETE/1',
        ['stream_msg_delete', ({ payload }, [name = '']) => stream.deleteMessage(name, payload)],
      ],
      [
        'CONSUMER.CREATE/1',
        [
          'consumer_create',
          ({ payload }, [name = '']) => consumer.create({ stream: name, form: 'ephemeral' }, payload),
        ],
      ],
      [
        'CONSUMER.DURABLE.CREATE/2',
        [
          'consumer_create',
          ({ payload }, [of = '', name = '']) =>
            consumer.create({ stream: of, form: 'durable', name }, payload),
        ],
      ],
      [
        'CONSUMER.CREATE/2',
        [
          'consumer_create',
          ({ payload }, [of = '', name = '']) =>
            consumer.create({ stream: of, form: 'named', name }, payload),
        ],
      ],
      [
        'CONSUMER.CREATE/+',
        [
          'consumer_create',
          ({ payload }, [of = '', name = '', ...filter]) =>
            consumer.create({ stream: of, form: 'named', name, filter: filter.join('.') }, payload),
        ],
      ],
      ['CONSUMER.INFO/2', ['consumer_info', (_, [of = '', name = '']) => consumer.info(of, name)]],
      ['CONSUMER.DELETE/2', ['consumer_delete', (_, [of = '', name = '']) => consumer.delete(of, name)]],
      ['CONSUMER.NAMES/1', ['consumer_names', ({ payload }, [of = '']) => consumer.names(of, payload)]],
      ['CONSUMER.LIST/1', ['consumer_list', ({ payload }, [of = '']) => consumer.list(of, payload)]],
    ]);
  }

  /** The answer: a text or a message; `'taken'` where it comes later, or never, as for what nobody knows. */
  answer(request: ApiRequest): ApiAnswer | Promise<ApiAnswer> {
    const { words, reply, payload } = request;
    const [first, second, third = '', fourth = ''] = words;
    if (first === 'DIRECT' && second === 'GET') return this.#direct(words.slice(2), payload);
    if (first === 'CONSUMER' && second === 'MSG' && third === 'NEXT' && words.length === 5) {
      const consumer = this.#streams.find(fourth)?.consumers.get(words[4] ?? '');
      if (consumer !== undefined && reply !== '') consumer.pull(reply, payload);
      return 'taken';
    }
    const found = this.#find(words);
    if (found === undefined) return 'taken';
    const { type, call, rest } = found;
    this.#total += 1;
    const answered = this.#try(type, () => {
      const answer = call(request, rest);
      return isSteps(answer) ? runInSlices(answer) : answer;
    });
    const write = (answer: object): string => JSON.stringify({ type: `${TYPE}.${type}_response`, ...answer });
    return answered instanceof Promise ? answered.then(write) : write(answered);
  }

  #find(
    words: readonly string[],
  ): { readonly type: string; readonly call: Call; readonly rest: readonly string[] } | undefined {
    for (let front = Math.min(3, words.length); front > 0; front -= 1) {
      const name = words.slice(0, front).join('.');
      const rest = words.slice(front);
      const found =
        this.#calls.get(`${name}/${rest.length}`) ??
        (rest.length > 2 ? this.#calls.get(`${name}/+`) : undefined);
      if (found !== undefined) return { type: found[0], call: found[1], rest };
    }
    return undefined;
  }

  #try(type: string, call: () => object | Promise<object>): object | Promise<object> {
    const refuse = (error: unknown): object => {
      if (!(error instanceof ApiError)) throw error;
      this.#errors += 1;
      return { error: error.body, ...EMPTY.get(type) };
    };
    try {
      const answer = call();
      return answer instanceof Promise ? answer.catch(refuse) : answer;
    } catch (error) {
      return refuse(error);
    }
  }

  #direct([name = '', ...subject]: readonly string[], payload: Buffer): DirectAnswer | 'taken' {
    const stream = this.#streams.find(name);
    if (stream?.config.allow_direct !== true) return 'taken';
    if (subject.length > 0) {
      if (payload.length > 0) return status('408 Bad Request');
      const wanted = new Fields({ last_by_subj: Buffer.from(subject.join('.'), 'latin1').toString('utf8') });
      return directAnswer(stream, wanted);
    }
    if (payload.length === 0) return status('408 Empty Request');
    try {
      const fields = Fields.read(payload);
      const isEmpty = !['seq', 'last_by_subj', 'next_by_subj'].some((field) => fields.has(field));
      return isEmpty ? status('408 Empty Request') : directAnswer(stream, fields);
    } catch (error) {
      if (error instanceof ApiError) return status('408 Malformed Request');
      throw error;
    }
  }

  #account(usage: Usage, { maxBytes }: JetStreamSettings): object {
    return {
      memory: usage.bytes,
      storage: 0,
      streams: this.#streams.size,
      consumers: this.#streams.consumers,
      limits: {
        max_memory: maxBytes,
        max_storage: -1,
        max_streams: -1,
        max_consumers: -1,
        max_ack_pending: -1,
        memory_max_stream_bytes: -1,
        storage_max_stream_bytes: -1,
        max_bytes_required: false,
      },
      api: { total: this.#total, errors: this.#errors },
    };
  }
}

function isSteps(answer: object | AnswerSteps): answer is AnswerSteps {
  return Symbol.iterator in answer;
}

function directAnswer(stream: Stream, fields: Fields): DirectAnswer {
  const bad = new Error();
  try {
    const message = findMessage(stream, fields, () => bad);
    if (message === undefined) return status('404 Message Not Found');
    const { subject, sequence, time, headerBytes, payload } = message;
    const headers = withHeaders(headerBytes, [
      ['Nats-Stream', stream.config.name],
      ['Nats-Subject', subject],
      ['Nats-Sequence', String(sequence)],
      ['Nats-Time-Stamp', dateText(time)],
    ]);
    return { headerBytes: headers, payload };
  } catch (error) {
    if (error !== bad) throw error;
    return status('408 Bad Request');
  }
}

function status(line: string): DirectAnswer {
  return { headerBytes: Buffer.from(`NATS/1.0 ${line}\r\n\r\n`), payload: NOTHING };
}
