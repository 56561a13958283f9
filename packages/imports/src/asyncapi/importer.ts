import { invalid, type Imported, type Importer, type Json, type NewReaction } from '@backlot/core/plugin';
import { Chance, isTree, memberOf, References, Sampler, textOf } from '@backlot/contracts';
import { MOST_MOCKS } from '../shared/bounds.js';
import { Ids } from '../shared/ids.js';
import { exactly } from '../shared/answer.js';
import type { Operation, Tools } from './document.js';
import { amqp } from './kinds/amqp.js';
import { http } from './kinds/http.js';
import { kafka } from './kinds/kafka.js';
import { mqtt } from './kinds/mqtt.js';
import { nats } from './kinds/nats.js';
import { redis } from './kinds/redis.js';
import { stomp } from './kinds/stomp.js';
import { websocket } from './kinds/websocket.js';
import { readVersion2 } from './version-2.js';
import { readVersion3 } from './version-3.js';
import type { Writer, WriterDeclaration } from './writer.js';

const KINDS: readonly WriterDeclaration[] = [kafka, amqp, mqtt, nats, websocket, stomp, redis, http];
/** The key of the state that a test sets to have a message sent. */
const KEY = 'send';
/** Reactions of one document: a host has 1,000 at most. */
const MOST_REACTIONS = 500;

/**
 * Documents of AsyncAPI. Backlot stands for the application that a document describes, and for its broker: what the
 * application receives is answered by mocks, and what it sends is sent when a test asks for it.
 */
export const asyncapi: Importer = {
  format: 'asyncapi',
  title: 'AsyncAPI 2 and 3',
  detect: ({ tree }) => (typeof memberOf(tree, 'asyncapi') === 'string' ? 'sure' : undefined),
  *convert(file, notes, { seed }): Generator<undefined, Imported, undefined> {
    const { tree } = file;
    if (!isTree(tree)) throw invalid('an AsyncAPI document is an object');
    const version = textOf(tree['asyncapi']) ?? '';
    if (!/^[23]\./.test(version))
      throw invalid(`AsyncAPI ${version.slice(0, 100) || 'of no version'} is not known; 2 and 3 are`);
    const references = new References((reference) =>
      notes.refused(
        '',
        `${reference.startsWith('#') ? 'there is nothing at' : 'is not read, since it is no file beside this one:'} "${reference.slice(0, 200)}"`,
      ),
    );
    const chance = new Chance(seed);
    const sampler = new Sampler(references, chance);
    const tools: Tools = { file, root: tree, references, sampler, chance, ids: new Ids(), notes };
    const converting = new Converting(tools);
    for (const operation of version.startsWith('2') ? readVersion2(tools) : readVersion3(tools)) {
      if (operation !== undefined) yield* converting.add(operation);
      yield;
    }
    return converting.finish();
  },
};

class Converting {
  readonly #writers = new Map<string, Writer>();
  readonly #reactions: NewReaction[] = [];
  readonly #ids = new Ids();
  #operations = 0;

  constructor(private readonly tools: Tools) {}

  *add(operation: Operation): Generator<undefined, void, undefined> {
    const { notes } = this.tools;
    this.#operations += 1;
    if (this.#operations > MOST_MOCKS) {
      notes.refused('', `operations beyond ${MOST_MOCKS} are left out`);
      return;
    }
    for (const declaration of this.#kindsOf(operation)) {
      const writer = this.#writers.get(declaration.kind) ?? declaration.create(this.tools);
      this.#writers.set(declaration.kind, writer);
      if (operation.action === 'receive') writer.receive(operation);
      else yield* this.#send(operation, declaration.kind, writer);
      yield;
    }
  }

  finish(): Imported {
    const protocols: Record<string, Json> = {};
    const data: Record<string, NonNullable<Imported['data']>[string]> = {};
    for (const [kind, writer] of this.#writers) {
      const made = writer.finish();
      protocols[kind] = made.block;
      if (made.data !== undefined) data[kind] = made.data;
    }
    return {
      protocols,
      ...(this.#reactions.length === 0 ? {} : { reactions: this.#reactions }),
      ...(Object.keys(data).length === 0 ? {} : { data }),
    };
  }

  /** What the application sends is sent when a key of the state is set to the name of it. */
  *#send(operation: Operation, kind: string, writer: Writer): Generator<undefined, void, undefined> {
    const { notes } = this.tools;
    const { id, messages } = operation;
    if (operation.reply !== undefined)
      notes.approximated(
        operation.place,
        'a request of the application is sent, and its reply taken by nobody',
      );
    for (const message of messages) {
      for (const [index, example] of message.examples.entries()) {
        const action = writer.send(operation, message, example);
        if (action === undefined) continue;
        if (this.#reactions.length >= MOST_REACTIONS) {
          notes.refused(operation.place, `messages beyond ${MOST_REACTIONS} that can be sent are left out`);
          return;
        }
        const name = this.#ids.take(
          [id, messages.length > 1 ? message.name : '', index > 0 ? example.name : '']
            .filter(Boolean)
            .join('-'),
        );
        notes.approximated(
          operation.place,
          `what the application sends is sent when the state "${KEY}" is set to the name of its reaction, such as "${this.#reactions[0]?.id ?? name}"`,
        );
        this.#reactions.push({
          id: name,
          on: { state: { key: KEY, value: exactly(name) } },
          do: [{ [kind]: action }],
        });
        yield;
      }
    }
  }

  /** The kinds by whose protocols an operation goes. */
  #kindsOf({ channel, bindings, place }: Operation): readonly WriterDeclaration[] {
    const { notes, root } = this.tools;
    const kinds = new Set<WriterDeclaration>();
    for (const { protocol } of channel.servers) {
      const found = KINDS.find(({ protocols }) => protocols.includes(protocol));
      if (found === undefined)
        notes.refused('/servers', `there is no counterpart of the protocol "${protocol.slice(0, 50)}"`);
      else kinds.add(found);
    }
    const hasServers = isTree(root['servers']) && Object.keys(root['servers']).length > 0;
    if (kinds.size > 0 || hasServers) return [...kinds];
    for (const name of [...Object.keys(channel.bindings), ...Object.keys(bindings)]) {
      const found = KINDS.find(({ protocols }) => protocols.includes(name));
      if (found !== undefined) kinds.add(found);
    }
    if (kinds.size > 0) return [...kinds];
    if (channel.address?.startsWith('/') === true) {
      notes.approximated(
        place,
        'neither a server nor a binding says by which protocol; an address with a slash is taken as a path of WebSocket',
      );
      return [websocket];
    }
    notes.refused(
      place,
      'neither a server nor a binding says by which protocol it goes; add "servers" to the document',
    );
    return [];
  }
}
