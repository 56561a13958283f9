import type { StoredMock } from '../contract/given.js';
import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { MockIndex } from '../contract/mock-index.js';
import type { Protocol } from '../contract/protocol.js';
import type { AnswerDeclaration, RespondFunction } from '../contract/respond.js';
import { answerSchemaOf } from '../contract/whole-schemas.js';
import type { Problem } from '../errors.js';
import { isFeed, type Feed } from '../pipeline/feed.js';
import { show } from '../validation/messages.js';
import { isObject } from '../validation/pointer.js';
import { createValidator } from '../validation/validator.js';
import { holdsTooMuch, MAX_VALUES } from '../validation/value-size.js';
import { placeBytes } from './answer-bytes.js';
import { AnswerTools } from './answer-tools.js';
import type { HostParts, NotingTools } from './compile-tools.js';
import { functionOf } from './functions.js';

/** The mock that answers in place of the one that has matched. */
export interface AnsweringMock {
  readonly id: string;
  readonly value: StoredMock;
  readonly compiled: CompiledMock<Message>;
  /** What its function goes on sending into the stream that it opens. */
  readonly feed?: Feed;
}

/** What one mock is compiled with. */
interface Compilation {
  readonly protocol: Protocol;
  readonly value: StoredMock;
  readonly index: MockIndex<Message, CompiledMock<Message>>;
  readonly host: HostParts | undefined;
}

/** The function of a mock, and what makes an answer of what it returns. */
export class Responder {
  readonly make: RespondFunction;
  readonly #given: Compilation;
  readonly #answer: AnswerDeclaration;

  constructor(make: RespondFunction, answer: AnswerDeclaration, given: Compilation) {
    this.make = make;
    this.#answer = answer;
    this.#given = given;
  }

  /** The same function for another host. */
  in(index: Compilation['index'], host: HostParts | undefined): Responder {
    return new Responder(this.make, this.#answer, { ...this.#given, index, host });
  }

  /**
   * The mock as if it had held an answer.
   *
   * @param returned - the fields of the answer, or the value of the field that may stand for all of them
   * @param feedOf - makes what passes on what the function goes on sending
   * @throws Error when it is no valid answer
   */
  answer(returned: unknown, feedOf: (source: AsyncIterable<unknown>) => Feed): AnsweringMock {
    const { protocol, value: base, index, host } = this.#given;
    const { feed, rest: given } = takeFeed(returned);
    if (holdsTooMuch(given)) throw new Error(`it returned more than ${MAX_VALUES} fields and elements`);
    const own = this.#fieldsOf(given);
    const schema = answerSchemaOf(protocol);
    const { whole, shown } = placeBytes(feed === undefined ? own : this.#fedFieldsOf(own), schema);
    refuse(createValidator(schema).check(shown));
    const { respond: _respond, ...rest } = base;
    const value: StoredMock = Object.freeze({ ...rest, ...whole });
    const tools = new AnswerTools(this.#answer.fields, host);
    const compiled = tools.attempt('', undefined, () => protocol.mocks.compile(value, tools, index));
    refuse(tools.problems);
    if (compiled === undefined) throw new Error('what it returned cannot be used');
    return { id: base.id, value, compiled, ...(feed === undefined ? {} : { feed: feedOf(feed) }) };
  }

  #fedFieldsOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { fed } = this.#answer;
    if (fed !== undefined) return fed(fields);
    throw new Error(`an answer of ${this.#given.protocol.kind} is no stream that could be fed`);
  }

  #fieldsOf(returned: unknown): Readonly<Record<string, unknown>> {
    const { fields, direct } = this.#answer;
    if (returned === undefined) return {};
    const isWhole = isObject(returned) && Object.keys(returned).every((name) => fields.includes(name));
    if (isWhole) return returned;
    if (direct !== undefined) return { [direct]: returned };
    if (isObject(returned)) return returned;
    throw new Error(`it must return an object with ${fields.join(', ')}, got ${show(returned)}`);
  }
}

/** What a function goes on sending: what it has returned, or what stands beside its answer under `feed`. */
function takeFeed(returned: unknown): { readonly feed?: AsyncIterable<unknown>; readonly rest: unknown } {
  if (isFeed(returned)) return { feed: returned, rest: {} };
  if (!isObject(returned) || returned['feed'] === undefined) return { rest: returned };
  const { feed, ...rest } = returned;
  if (isFeed(feed)) return { feed, rest };
  throw new Error(`what it returned as "feed" must be an async iterable, got ${show(feed)}`);
}

/** The function of a mock; what is wrong with it is noted. */
export function findResponder(given: Compilation, tools: NotingTools): Responder | undefined {
  const { protocol, value } = given;
  const { respond } = value;
  if (respond === undefined) return undefined;
  const { answer, noun } = protocol.mocks;
  if (answer === undefined) {
    tools.problem('/respond', `a ${protocol.kind} ${noun} cannot be answered by a function`);
    return undefined;
  }
  const make = functionOf(respond);
  if (make === undefined) {
    tools.problem(
      '/respond',
      'a function comes with code alone: name its module and export in the configuration file, or give the function itself in a program',
    );
    return undefined;
  }
  for (const field of answer.fields) {
    if (value[field] !== undefined)
      tools.problem(
        `/${field}`,
        'cannot stand beside "respond", whose function gives it; leave one of them out',
      );
  }
  return new Responder(make, answer, given);
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const texts = problems.slice(0, 3).map(({ path, message }) => `${path} ${message}`.trim());
  throw new Error(`what it returned is not valid: ${texts.join('; ')}`);
}
