import type { MatchOf, OutcomeFor, Reply } from '@backlot/core/plugin';
import type { OpenTransaction } from '../broker/broker.js';
import type { PartitionLog } from '../broker/partition-log.js';
import type { StoredPlace } from '../captured-record.js';
import { refusalByContract, refusalOfAnswer } from '../contract/gate.js';
import { encodeContent, renderContent } from '../content.js';
import { KafkaMessage } from '../message.js';
import { viewRecord } from '../registry/decoded-record.js';
import type { KafkaExchange, KafkaShape } from '../shape.js';
import type { RecordBatch } from '../wire/batch.js';
import { ERROR, nameOfError, parseErrorCode } from '../wire/errors.js';
import type { WireRecord } from '../wire/record.js';
import type { Services } from './call.js';

/** Records of a batch that an answer tells of. */
const MOST_BROKEN = 100;

const STORED: Reply = Object.freeze({ status: 'NONE' });

/** One record on its way. */
interface Arrival {
  readonly record: WireRecord;
  /** The record as it is seen. */
  readonly message: KafkaMessage;
  readonly exchange: KafkaExchange;
  outcome: OutcomeFor<KafkaShape> | undefined;
}

/** What is answered for one partition. */
export interface PartitionAnswer {
  readonly index: number;
  readonly errorCode: number;
  readonly baseOffset?: number;
  readonly logStartOffset?: number;
  readonly errorMessage?: string | null;
  readonly recordErrors?: readonly { readonly batchIndex: number; readonly batchIndexErrorMessage: string }[];
}

/** A batch for one partition that has been read: mocks are asked about its records, and then it is stored or refused. */
export class ArrivedBatch {
  readonly #services: Services;
  readonly #topic: string;
  readonly #index: number;
  readonly #transactionalId: string | null;
  readonly #batch: RecordBatch;
  readonly #records: readonly WireRecord[];
  readonly #arrivals: Arrival[] = [];
  /** What is wrong with records, by their places. */
  readonly #broken: { readonly batchIndex: number; readonly batchIndexErrorMessage: string }[] = [];
  #storing: Storing | undefined;

  /** @param transactionalId - of the request; null for none */
  constructor(
    services: Services,
    topic: string,
    index: number,
    transactionalId: string | null,
    batch: RecordBatch,
    records: readonly WireRecord[],
  ) {
    this.#services = services;
    this.#topic = topic;
    this.#index = index;
    this.#transactionalId = transactionalId;
    this.#batch = batch;
    this.#records = records;
  }

  /** Nobody waits for the answer any more. */
  abort(): void {
    for (const { exchange } of this.#arrivals) exchange.abort();
  }

  /**
   * Asks mocks about at most so many more records.
   *
   * @param waits - is given what has to be waited for
   * @returns whether they have been asked about all of them
   */
  receive(most: number, remote: string, waits: Promise<void>[]): boolean {
    const records = this.#records;
    const { context, registry } = this.#services;
    const until = Math.min(this.#arrivals.length + most, records.length);
    for (let place = this.#arrivals.length; place < until; place += 1) {
      const record = records[place] as WireRecord;
      const view = viewRecord(record, registry);
      const message = new KafkaMessage(this.#topic, this.#index, view, remote, place);
      const exchange = context.receive(message);
      const refusal = refusalByContract(context, exchange);
      if (refusal !== undefined) {
        if (this.#broken.length < MOST_BROKEN)
          this.#broken.push({ batchIndex: place, batchIndexErrorMessage: refusal });
        this.#arrivals.push({ record, message, exchange, outcome: undefined });
        continue;
      }
      const outcome = exchange.resolve();
      if (!(outcome instanceof Promise)) {
        this.#arrivals.push({ record, message, exchange, outcome });
        continue;
      }
      const arrival: Arrival = { record, message, exchange, outcome: undefined };
      this.#arrivals.push(arrival);
      waits.push(
        outcome.then((late) => {
          arrival.outcome = late;
        }),
      );
    }
    return until === records.length;
  }

  /**
   * Puts the batch into its log, or ends the exchanges of its records.
   *
   * @returns what is answered without storing it; `undefined` when it is in the log, and {@link store} does the rest
   */
  settle(): PartitionAnswer | undefined {
    const index = this.#index;
    const batch = this.#batch;
    const { broker, transactions } = this.#services;
    const [first] = this.#broken;
    if (first !== undefined) {
      const errorMessage = `the contract does not allow record ${first.batchIndex}: ${first.batchIndexErrorMessage}`;
      return { ...this.#refuse(ERROR.INVALID_RECORD), recordErrors: this.#broken, errorMessage };
    }
    for (const { outcome } of this.#arrivals) {
      if (outcome?.type === 'fault') {
        return this.#refuse(parseErrorCode(outcome.fault.error_code ?? ERROR.LEADER_NOT_AVAILABLE));
      }
      // The client is gone: nothing is stored, and nobody reads the answer.
      if (outcome?.type === 'aborted') return { index, errorCode: ERROR.NETWORK_EXCEPTION };
    }
    const found = broker.find(this.#topic);
    const log = found?.partitions[index];
    if (found === undefined || log === undefined) return this.#refuse(ERROR.UNKNOWN_TOPIC_OR_PARTITION);
    if (this.#arrivals[0]?.exchange.isCurrent === false) {
      // From before a reset: its client gets an answer, and nothing is recorded.
      this.#endAll(undefined);
      return { index, errorCode: ERROR.NONE, baseOffset: log.endOffset };
    }
    // While it was delayed the transaction may have ended.
    const errorCode = transactions.check(batch, this.#transactionalId, found, index);
    if (errorCode !== ERROR.NONE) return this.#refuse(errorCode);
    // While it was delayed the same batch may have come over another connection.
    const sequencing = log.producers.check(batch);
    if (sequencing !== 'new') {
      this.#endAll(STORED);
      return answerSequence(index, sequencing);
    }
    this.#storing = startStoring(log, batch, this.#services);
    return undefined;
  }

  /**
   * Captures and answers at most so many more records of a batch that is in the log.
   *
   * @returns what is answered, once that is done for all of them
   */
  store(most: number): PartitionAnswer | undefined {
    const storing = this.#storing;
    if (storing === undefined) return undefined;
    const { captures } = this.#services.context;
    const { stored, within } = storing;
    const { baseOffset } = stored;
    const { length } = this.#topic;
    const index = this.#index;
    const until = Math.min(storing.place + most, this.#arrivals.length);
    for (let { place } = storing; place < until; place += 1) {
      const { record, message, exchange, outcome } = this.#arrivals[place] as Arrival;
      message.stored = stored;
      captures.add(message, message.record.size + length, exchange);
      exchange.done(
        outcome?.type === 'matched' ? respond(outcome, this.#services, { record, exchange }, within) : STORED,
      );
    }
    storing.place = until;
    if (until < this.#arrivals.length) return undefined;
    return { index, errorCode: ERROR.NONE, baseOffset, logStartOffset: storing.logStartOffset };
  }

  #refuse(errorCode: number): PartitionAnswer {
    this.#endAll({ status: nameOfError(errorCode) });
    return { index: this.#index, errorCode };
  }

  #endAll(reply: Reply | undefined): void {
    for (const { exchange } of this.#arrivals) exchange.done(reply);
  }
}

/** What the records of a batch that is in the log are captured with. */
interface Storing {
  /** Of the next record. */
  place: number;
  readonly stored: StoredPlace;
  readonly logStartOffset: number;
  readonly within: OpenTransaction | undefined;
}

function startStoring(log: PartitionLog, batch: RecordBatch, services: Services): Storing {
  const { broker, context, transactions } = services;
  const baseOffset = broker.append(log, batch);
  return {
    place: 0,
    stored: {
      baseOffset,
      takenAt: context.clock.now(),
      newId: services.newId,
      mark: transactions.markOf(batch),
    },
    logStartOffset: log.startOffset,
    within: transactions.openOf(batch),
  };
}

/** What is answered for a batch that its producer has sent before, or out of order. */
export function answerSequence(
  index: number,
  sequencing: { readonly error: number } | { readonly storedAt: number },
): PartitionAnswer {
  return 'error' in sequencing
    ? { index, errorCode: sequencing.error }
    : { index, errorCode: ERROR.NONE, baseOffset: sequencing.storedAt };
}

/** Produces a mock's response, which is a part of the transaction that the record is a part of. It is no message of a client: no mock is asked about it. */
function respond(
  match: MatchOf<KafkaShape>,
  { broker, context, registry }: Services,
  { record, exchange }: Pick<Arrival, 'record' | 'exchange'>,
  within: OpenTransaction | undefined,
): Reply {
  try {
    const { response } = match.mock.compiled;
    if (response === undefined) return STORED;
    const { topic, content, partition } = response;
    const name = typeof topic === 'string' ? topic : match.render(topic);
    const rendered = renderContent(content, (template) => match.render(template), record.value ?? undefined);
    const problem = refusalOfAnswer(context, exchange, name, rendered.value);
    if (problem !== undefined) {
      context.log.warn(`mock "${match.mock.id}" answers what the contract does not allow: ${problem}`);
      return { status: nameOfError(ERROR.INVALID_RECORD) };
    }
    const made = encodeContent(content, rendered, registry);
    const refusal = broker.publish(name, made, partition, within);
    if (refusal !== undefined) {
      context.log.warn(`the response of mock "${match.mock.id}" was not produced: ${refusal.message}`);
      return { status: nameOfError(refusal.error) };
    }
    return rendered.value === null ? STORED : { status: 'NONE', body: rendered.value };
  } catch (thrown) {
    context.log.error(`the response of mock "${match.mock.id}" could not be made`, thrown);
    return { status: nameOfError(ERROR.UNKNOWN_SERVER_ERROR) };
  }
}
