import {
  invalid,
  type ContractDesk,
  type ContractFindings,
  type ContractNote,
  type ContractOperation,
  type ContractSource,
  type ContractViolation,
  type LoadedContract,
  type MockViolation,
} from '@backlot/core/plugin';
import { shownValue } from '../openapi/messages.js';
import { Routes } from '../openapi/routes.js';
import { SchemaChecks, UNCHECKED } from '../schema/checks.js';
import { Meter } from '../schema/meter.js';
import { References } from '../schema/references.js';
import { loadSource, type Source } from '../sources/load-source.js';
import { MOST_BYTES } from '../shared/most-bytes.js';
import { isTree, memberOf, textOf, treeOf, type Tree } from '../shared/values.js';
import { readBases, readChannels, type Channel, type Message } from './channels.js';
import type { MessageForm, Place } from './message-form.js';

type Side = 'request' | 'answer';
type Noted = { noteContract(note: ContractNote): void };

/** A message that somebody sends. */
export interface SentMessage {
  /** Where it goes, what is nearest first: the first that the document has counts. */
  readonly places: readonly Place[];
  /** The address as a violation shows it. */
  readonly shown: string;
  /** Absent for one that has none, such as a deletion. */
  readonly payload: Uint8Array | undefined;
  /**
   * For what is sent back to an address of the client's own, which no document has: where the message went that is answered. It is
   * held to the reply of that channel, where the document has one.
   */
  readonly answers?: readonly Place[] | undefined;
}

/** Why a message is refused. */
export interface MessageRefusal {
  /** Whether the document has no channel for it; else its payload is wrong. */
  readonly isUnknown: boolean;
  /** What is wrong, as a sentence part: `/payload/id must be a string`. */
  readonly reason: string;
}

/** An AsyncAPI document that messages are held to: each must be one of those of its channel. */
export class MessageContract implements LoadedContract {
  /** The channels, and their messages as what is answered. */
  readonly operations: readonly ContractOperation[];
  readonly digest: string;
  readonly #form: MessageForm;
  readonly #routes = new Routes<Channel>();
  readonly #checks: Readonly<Record<Message['dialect'], SchemaChecks>>;
  /** The messages of a channel together may not cost more than one. */
  readonly #meter = new Meter();
  readonly #all: readonly Message[];

  /** @throws BacklotError `invalid` for what is no AsyncAPI document */
  constructor({ file, digest }: Source, form: MessageForm) {
    this.digest = digest;
    this.#form = form;
    const root = file.tree;
    const version = textOf(memberOf(root, 'asyncapi')) ?? '';
    if (!isTree(root) || version === '') throw invalid('it is no AsyncAPI document: it has no "asyncapi"');
    if (!/^[23]\./.test(version)) throw invalid(`AsyncAPI ${version.slice(0, 20)} is not known; 2 and 3 are`);
    const isSecond = version.startsWith('2');
    const channels = readChannels(root, file, isSecond);
    if (channels.length === 0) throw invalid('the document has no channels with an address');
    const bases = form.hasBases === true ? readBases(root, file, isSecond) : [''];
    for (const channel of channels)
      for (const base of bases)
        for (const place of form.placesOf(
          joined(base, channel.name),
          treeOf(channel.bindings[form.bindings]),
        ))
          this.#routes.add(pathOf(place), channel);
    const references = new References(() => undefined);
    this.#checks = {
      'json-schema': new SchemaChecks(references, 'json-schema', this.#meter),
      openapi: new SchemaChecks(references, 'openapi', this.#meter),
    };
    this.operations = channels.map(({ name, messages, replies }) => ({
      name,
      answers: [...new Set([...messages, ...replies].map((message) => message.name))],
    }));
    this.#all = channels.flatMap(({ messages, replies }) => [...messages, ...replies]);
  }

  /** Compiles what messages will meet, in turns, so that no message waits for it. */
  async prepare(): Promise<void> {
    for (const { isRead, dialect, payload } of this.#all)
      if (isRead && payload.value !== undefined)
        await this.#checks[dialect].prepare(payload.value, payload.document, ['request', 'answer']);
  }

  /**
   * Holds a message to the document, and notes what was found.
   *
   * @param side - whether a client has sent it, or a mock answers it
   * @returns why it must be refused; `undefined` when it goes on
   */
  refusal(desk: ContractDesk, exchange: Noted, side: Side, message: SentMessage): MessageRefusal | undefined {
    return refusalBy(desk, exchange, side, this.#find(side, message));
  }

  checkMock(mock: Tree, compiled: unknown): readonly MockViolation[] {
    const found: MockViolation[] = [];
    for (const { at, places, payload } of this.#form.messagesOf(mock, compiled)) {
      if (places === undefined) continue;
      const { violations } = this.#find('answer', { places, shown: lastPart(places), payload });
      for (const { path, message } of violations) found.push({ path: at, message: `${path} ${message}` });
    }
    return found;
  }

  #find(side: Side, { places, shown, payload, answers }: SentMessage): ContractFindings {
    const channel = this.#channelAt(places);
    if (channel === undefined && answers !== undefined) return this.#findReply(answers, payload);
    if (channel === undefined) {
      const message = 'must be a channel of the contract';
      return { violations: [{ in: side, path: `/${this.#form.word}`, message, ...shownValue(shown) }] };
    }
    const operation = channel.name;
    if (payload === undefined) return { operation, violations: [] };
    if (payload.length > MOST_BYTES) return { operation, violations: [], isUnchecked: true };
    const sender = side === 'request' ? 'client' : 'application';
    const own = channel.messages.filter(({ by }) => by[sender]);
    const isHeld = this.#form.isDirected === true && own.length > 0;
    return { operation, ...this.#held(isHeld ? own : channel.messages, payload, side) };
  }

  #findReply(request: readonly Place[], payload: Uint8Array | undefined): ContractFindings {
    const channel = this.#channelAt(request);
    if (channel === undefined || payload === undefined) return { operation: channel?.name, violations: [] };
    if (payload.length > MOST_BYTES) return { operation: channel.name, violations: [], isUnchecked: true };
    return { operation: channel.name, ...this.#held(channel.replies, payload, 'answer') };
  }

  #channelAt(places: readonly Place[]): Channel | undefined {
    for (const place of places) {
      const found = this.#routes.find(pathOf(place));
      if (found !== undefined) return found.value;
    }
    return undefined;
  }

  /** Which of several messages a payload is; of one that is none what says the message that it goes along with the farthest. */
  #held(
    messages: readonly Message[],
    payload: Uint8Array,
    side: Side,
  ): Pick<ContractFindings, 'answer' | 'violations' | 'isUnchecked'> {
    this.#meter.restart();
    const read = readOnce(payload);
    let nearest: ContractViolation | undefined;
    let isUnchecked = false;
    for (const message of messages) {
      const found = this.#faultOf(message, read, side);
      if (found === undefined) return { answer: message.name, violations: [] };
      if (found === UNCHECKED) isUnchecked = true;
      else if (nearest === undefined || depthOf(found) > depthOf(nearest)) nearest = found;
    }
    // It may be the one that was not checked.
    if (isUnchecked) return { violations: [], isUnchecked };
    return { violations: nearest === undefined ? [] : [nearest] };
  }

  #faultOf(
    { payload: { value: schema, document }, isRead, isJson, dialect }: Message,
    read: ReadOnce,
    side: Side,
  ): ContractViolation | typeof UNCHECKED | undefined {
    if (schema === undefined || !isRead) return undefined;
    if (!isJson && memberOf(schema, 'type') !== 'string') return undefined;
    const value = isJson ? read.json() : { value: read.text() };
    if (value === undefined)
      return { in: side, path: '/payload', message: 'must be JSON', ...shownValue(read.text()) };
    const fault = this.#checks[dialect].findFurther(schema, document, side, value.value);
    if (fault === undefined || fault === UNCHECKED) return fault;
    return { in: side, path: `/payload${fault.path}`, message: fault.message, ...shownValue(fault.value) };
  }
}

/** A payload in the forms in which messages describe it, each made once. */
interface ReadOnce {
  text(): string;
  /** `undefined` where it is no JSON. */
  json(): { readonly value: unknown } | undefined;
}

function readOnce(payload: Uint8Array): ReadOnce {
  let text: string | undefined;
  let json: { readonly value: unknown } | 'none' | undefined;
  const asText = (): string =>
    (text ??= Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8'));
  return {
    text: asText,
    json() {
      json ??= parsed(asText());
      return json === 'none' ? undefined : json;
    },
  };
}

function parsed(text: string): { readonly value: unknown } | 'none' {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return 'none';
  }
}

/** Reads the document that the settings of a kind name. */
export async function loadMessageContract(
  { file }: ContractSource,
  form: MessageForm,
): Promise<MessageContract> {
  const contract = new MessageContract(await loadSource(file), form);
  await contract.prepare();
  return contract;
}

function refusalBy(
  desk: ContractDesk,
  exchange: Noted,
  side: Side,
  found: ContractFindings,
): MessageRefusal | undefined {
  if (!desk.take(exchange, side, found)) return undefined;
  const reason = found.violations.map(({ path, message }) => `${path} ${message}`).join('; ');
  return { isUnknown: found.operation === undefined, reason };
}

/** An address behind the path of a server. */
function joined(base: string, address: string): string {
  return base === '' ? address : `${base}/${address.replace(/^\//, '')}`;
}

function pathOf(place: Place): string {
  // A slash in an address of other separators is a character as any other.
  return `/${place.map((part) => part.replaceAll('/', '\u0001')).join('/')}`;
}

function lastPart(places: readonly Place[]): string {
  return places[0]?.at(-1) ?? '';
}

function depthOf({ path }: ContractViolation): number {
  return path.split('/').length;
}
