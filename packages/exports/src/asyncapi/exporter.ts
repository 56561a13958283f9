import { invalid, type Exporter, type ExportNotes, type ExportSource } from '@backlot/core/plugin';
import { schemaOf } from '../openapi/schema-of.js';
import { noteEffects } from '../shared/note-effects.js';
import { mocksOf, textOf, treeOf, treesOf, withoutAbsent, type Tree } from '../shared/trees.js';
import type { Content, KindReader, Operation, ReaderTools, Target } from './document.js';
import { KINDS } from './kinds.js';

/** What is sent when the state is set to its name is what an imported document sends. */
const KEY = 'send';

/** An AsyncAPI document: what mocks of brokers receive, and what reactions send. */
export const asyncapi: Exporter = {
  format: 'asyncapi',
  title: 'AsyncAPI 3.0',
  contentType: 'application/json',
  extension: '.json',
  *write(source, notes) {
    const writing = new Writing();
    for (const { reader, operation } of operationsOf(source, notes)) {
      if (reader !== undefined && operation !== undefined) {
        writing.add(reader.kind, operation);
        notes.written(operation.action === 'receive' ? `${reader.kind} mocks` : 'reactions');
      }
      yield undefined;
    }
    if (writing.operations.length === 0)
      throw invalid(
        `there is nothing that a document can say: no mock of ${KINDS.map(({ kind }) => kind).join(', ')}, and no reaction that sends`,
      );
    const servers = Object.fromEntries(
      KINDS.flatMap(({ kind, protocol, secure }) => {
        const place = source.kind(kind)?.place;
        if (!writing.kinds.has(kind)) return [];
        const host = place === undefined ? 'localhost' : `${place.host}:${place.port}`;
        return [[kind, { host, protocol: place?.tls === true ? secure : protocol }]];
      }),
    );
    const head = {
      asyncapi: '3.0.0',
      info: { title: 'Mocks of Backlot', version: source.version },
      servers,
    };
    yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "channels": `;
    yield* objectPieces(writing.channels);
    yield ',\n  "operations": ';
    yield* objectPieces(writing.operations);
    yield '\n}\n';
  },
};

function* objectPieces(entries: Iterable<readonly [string, Tree]>): Generator<string, void, undefined> {
  let before = '{';
  for (const [name, value] of entries) {
    yield `${before}\n${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}`;
    before = ',';
  }
  yield before === '{' ? '{}' : '\n}';
}

interface Found {
  readonly reader?: KindReader;
  readonly operation?: Operation | undefined;
}

function* operationsOf(source: ExportSource, notes: ExportNotes): Generator<Found, void, undefined> {
  const configuration = source.configuration();
  const toolsOf = (kind: string, id: string): ReaderTools => ({
    block: treeOf(treeOf(configuration['protocols'])[kind]),
    approximated: (message) => notes.approximated(id, message),
    refused: (message) => notes.refused(id, message),
  });
  for (const reader of KINDS) {
    for (const mock of mocksOf(configuration, reader.kind)) {
      const id = textOf(mock['id']) ?? 'mock';
      if (mock['respond'] !== undefined) {
        notes.refused(id, 'a mock that is answered by a function is left out: its code is in another file');
        continue;
      }
      noteEffects(id, mock, notes);
      const tools = toolsOf(reader.kind, id);
      let isTold = false;
      const refused = (message: string): void => {
        isTold = true;
        tools.refused(message);
      };
      const operations = reader.mock(mock, { ...tools, refused });
      if (operations.length === 0 && !isTold) tools.refused('a mock that takes no messages is left out');
      for (const operation of operations) yield { reader, operation };
      yield {};
    }
  }
  for (const reaction of treesOf(configuration['reactions'] ?? [])) {
    const id = textOf(reaction['id']) ?? 'reaction';
    const state = treeOf(treeOf(reaction['on'])['state']);
    for (const [index, action] of treesOf(reaction['do'] ?? []).entries()) {
      const reader = KINDS.find(({ kind }) => action[kind] !== undefined);
      if (reader === undefined) continue;
      if (state['key'] !== KEY)
        notes.approximated(id, 'what a reaction follows is not said: it is what the application sends');
      const name = index === 0 ? id : `${id}-${index + 1}`;
      yield { reader, operation: reader.sent(name, treeOf(action[reader.kind]), toolsOf(reader.kind, id)) };
    }
    yield {};
  }
}

interface ChannelParts {
  readonly target: Target;
  readonly kind: string;
  readonly messages: Record<string, Tree>;
}

class Writing {
  readonly kinds = new Set<string>();
  readonly #channels = new Map<string, ChannelParts>();
  readonly #names = new Map<string, string>();
  readonly #ids = new Set<string>();
  readonly operations: (readonly [string, Tree])[] = [];

  get channels(): readonly (readonly [string, Tree])[] {
    return Array.from(this.#channels, ([name, { target, kind, messages }]) => [
      name,
      withoutAbsent({
        address: target.address ?? null,
        servers: [{ $ref: `#/servers/${kind}` }],
        parameters: parametersOf(target.address),
        bindings: target.bindings,
        messages,
      }),
    ]);
  }

  add(kind: string, { id: wanted, action, target, message, reply, bindings }: Operation): void {
    this.kinds.add(kind);
    const id = this.#take(wanted);
    const channel = this.#channel(kind, target, id);
    const answer = reply && this.#channel(kind, reply.target, `${id}-reply`);
    const answerName = channel === answer ? `${id}-reply` : id;
    this.operations.push([
      id,
      withoutAbsent({
        action,
        channel: { $ref: `#/channels/${escaped(channel)}` },
        messages: [this.#message(channel, id, message)],
        bindings,
        reply:
          reply === undefined || answer === undefined
            ? undefined
            : withoutAbsent({
                address: reply.location === undefined ? undefined : { location: reply.location },
                channel: { $ref: `#/channels/${escaped(answer)}` },
                messages: [this.#message(answer, answerName, reply.message)],
              }),
      }),
    ]);
  }

  #take(wanted: string): string {
    const name = wanted.replaceAll(/[^\w.-]+/g, '-') || 'operation';
    let id = name;
    for (let number = 2; this.#ids.has(id); number += 1) id = `${name}-${number}`;
    this.#ids.add(id);
    return id;
  }

  /** The channel of an address: one for all operations that have it. */
  #channel(kind: string, target: Target, otherwise: string): string {
    const { address, bindings } = target;
    const key = address === undefined ? `reply ${otherwise}` : JSON.stringify([kind, address, bindings]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const wanted =
      (target.name ?? address ?? otherwise).replaceAll(/[^\w.-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'root';
    let name = wanted;
    for (let number = 2; this.#channels.has(name); number += 1) name = `${wanted}-${number}`;
    this.#names.set(key, name);
    this.#channels.set(name, { target, kind, messages: {} });
    return name;
  }

  #message(channel: string, name: string, { contentType, payload, headers, constants }: Content): Tree {
    const { messages = {} } = this.#channels.get(channel) ?? {};
    const hasHeaders = Object.keys(headers).length > 0;
    messages[name] = withoutAbsent({
      name,
      contentType,
      payload:
        constants === undefined
          ? payload === undefined
            ? undefined
            : schemaOf(payload)
          : {
              type: 'object',
              required: Object.keys(constants),
              properties: Object.fromEntries(
                Object.entries(constants).map(([key, value]) => [key, { const: value }]),
              ),
            },
      headers: hasHeaders ? schemaOf(headers) : undefined,
      examples:
        payload === undefined && !hasHeaders
          ? undefined
          : [withoutAbsent({ payload, headers: hasHeaders ? headers : undefined })],
    });
    return { $ref: `#/channels/${escaped(channel)}/messages/${escaped(name)}` };
  }
}

function parametersOf(address: string | undefined): Tree | undefined {
  const names = Array.from((address ?? '').matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, {}]));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
