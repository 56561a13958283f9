import type { ImportFile } from '@backlot/core/plugin';
import { References, type Found } from '../schema/references.js';
import { isTree, listOf, memberOf, textOf, treeOf, treesOf, type Tree } from '../shared/values.js';

const MOST_MESSAGES = 200;

/** A channel of a document; those with the same address are one. */
export interface Channel {
  /** The address with its parameters in braces. */
  readonly name: string;
  readonly bindings: Tree;
  readonly messages: Message[];
  /** What is sent back to who has sent a message here; none where the document does not say. */
  readonly replies: Message[];
}

/** A message of a channel. */
export interface Message {
  readonly name: string;
  /** Who sends it, as the operations of the document say; both where they do not. */
  readonly by: { client: boolean; application: boolean };
  readonly payload: Found;
  /** Whether its payload is a schema of a format that is read. */
  readonly isRead: boolean;
  readonly isJson: boolean;
  readonly dialect: 'json-schema' | 'openapi';
}

/** Who sends: what an application receives is sent by a client. */
type Sender = 'client' | 'application';

interface Given {
  readonly name: string;
  readonly found: Found;
}

/** The channels of an AsyncAPI document of version 2 or 3. */
export function readChannels(root: Tree, file: ImportFile, isSecond: boolean): readonly Channel[] {
  const reader = new ChannelReader(root, file);
  if (isSecond) reader.readSecond();
  else reader.readThird();
  return [...reader.channels.values()];
}

/** The paths that the servers of a document put before its addresses; an empty one for none. */
export function readBases(root: Tree, file: ImportFile, isSecond: boolean): readonly string[] {
  const references = new References(() => undefined);
  const paths = Object.values(treeOf(root['servers'])).map((given) => {
    const { value } = references.follow({ value: given, document: file });
    const path = isSecond
      ? (textOf(memberOf(value, 'url')) ?? '').replace(/^[a-z+]+:\/\//i, '').replace(/^[^/]*/, '')
      : (textOf(memberOf(value, 'pathname')) ?? '');
    return path.replace(/\/+$/, '').replace(/^(?=[^/])/, '/');
  });
  return paths.length === 0 ? [''] : [...new Set(paths)];
}

class ChannelReader {
  readonly channels = new Map<string, Channel>();
  readonly #references = new References(() => undefined);
  readonly #root: Tree;
  readonly #file: ImportFile;

  constructor(root: Tree, file: ImportFile) {
    this.#root = root;
    this.#file = file;
  }

  readSecond(): void {
    for (const [name, given] of Object.entries(treeOf(this.#root['channels']))) {
      const { value, document } = this.#follow(given, this.#file);
      if (!isTree(value)) continue;
      const channel = this.#channelOf(name, value, document);
      for (const [word, sender] of [
        ['publish', 'client'],
        ['subscribe', 'application'],
      ] as const) {
        const { value: operation, document: from } = this.#follow(value[word], document);
        const message = memberOf(operation, 'message');
        if (message !== undefined)
          this.#add(channel, this.#messagesOf({ name: word, found: { value: message, document: from } }), [
            sender,
          ]);
      }
    }
  }

  readThird(): void {
    const channelOf = new Map<unknown, Channel>();
    const messageOf = new Map<unknown, readonly Message[]>();
    for (const given of Object.values(treeOf(this.#root['channels']))) {
      const { value, document } = this.#follow(given, this.#file);
      const address = textOf(memberOf(value, 'address'));
      if (!isTree(value) || address === undefined) continue;
      const channel = this.#channelOf(address, value, document);
      channelOf.set(value, channel);
      for (const [name, one] of Object.entries(treeOf(value['messages'])).slice(0, MOST_MESSAGES)) {
        const found = { value: one, document };
        const messages = this.#messagesOf({ name, found });
        messageOf.set(this.#references.follow(found).value, messages);
        this.#add(channel, messages, []);
      }
    }
    for (const given of Object.values(treeOf(this.#root['operations']))) {
      const { value, document } = this.#follow(given, this.#file);
      const target = this.#follow(memberOf(value, 'channel'), document);
      const sender: Sender = memberOf(value, 'action') === 'receive' ? 'client' : 'application';
      this.#readOperation(value, document, target, sender, { channelOf, messageOf });
    }
    for (const { messages } of this.channels.values())
      for (const { by } of messages) if (!by.client && !by.application) by.client = by.application = true;
  }

  #readOperation(
    operation: unknown,
    document: ImportFile,
    target: Found,
    sender: Sender,
    {
      channelOf,
      messageOf,
    }: {
      readonly channelOf: ReadonlyMap<unknown, Channel>;
      readonly messageOf: ReadonlyMap<unknown, readonly Message[]>;
    },
  ): void {
    const channel = channelOf.get(target.value);
    const messagesIn = (of: unknown, from: ImportFile, all: Found): readonly Message[] => {
      const own = listOf(memberOf(of, 'messages'));
      const values =
        own.length > 0
          ? own.map((one) => this.#follow(one, from))
          : Object.values(treeOf(memberOf(all.value, 'messages'))).map((one) =>
              this.#follow(one, all.document),
            );
      return values.slice(0, MOST_MESSAGES).flatMap((found) => {
        const known = messageOf.get(found.value);
        return known ?? this.#messagesOf({ name: 'message', found });
      });
    };
    for (const { by } of messagesIn(operation, document, target)) by[sender] = true;
    const { value: reply, document: from } = this.#follow(memberOf(operation, 'reply'), document);
    if (reply === undefined) return;
    const back = this.#follow(memberOf(reply, 'channel'), from);
    const answers = messagesIn(reply, from, back);
    for (const { by } of answers) by[sender === 'client' ? 'application' : 'client'] = true;
    channel?.replies.push(...answers.slice(0, MOST_MESSAGES));
  }

  #channelOf(name: string, value: Tree, document: ImportFile): Channel {
    const known = this.channels.get(name);
    if (known !== undefined) return known;
    const bindings = treeOf(this.#follow(value['bindings'], document).value);
    const channel = { name, bindings, messages: [], replies: [] };
    this.channels.set(name, channel);
    return channel;
  }

  #add({ messages }: Channel, added: readonly Message[], senders: readonly Sender[]): void {
    for (const message of added) {
      for (const sender of senders) message.by[sender] = true;
      if (messages.length < MOST_MESSAGES) messages.push(message);
    }
  }

  #messagesOf({ name, found }: Given): readonly Message[] {
    const { value, document } = this.#references.follow(found);
    const alternatives = memberOf(value, 'oneOf');
    const last = lastStep(found.value);
    if (Array.isArray(alternatives))
      return listOf(alternatives)
        .slice(0, MOST_MESSAGES)
        .flatMap((one, index) =>
          this.#messagesOf({ name: `${name}-${index + 1}`, found: { value: one, document } }),
        );
    if (!isTree(value)) return [];
    const whole = this.#withTraits(value, document);
    const payload = treeOf(whole['payload']);
    const isMulti = typeof payload['schemaFormat'] === 'string' && payload['schema'] !== undefined;
    const format = textOf(isMulti ? payload['schemaFormat'] : whole['schemaFormat']) ?? '';
    const type =
      textOf(whole['contentType']) ?? textOf(this.#root['defaultContentType']) ?? 'application/json';
    return [
      {
        name: textOf(whole['name']) ?? last ?? name,
        by: { client: false, application: false },
        payload: { value: isMulti ? payload['schema'] : whole['payload'], document },
        isRead: !/avro|protobuf|raml|xsd|xml/i.test(format),
        isJson: /[/+]json\b/i.test(type),
        dialect: /openapi/i.test(format) ? 'openapi' : 'json-schema',
      },
    ];
  }

  /** A message with what its traits say and it does not. */
  #withTraits(message: Tree, document: ImportFile): Tree {
    const traits = listOf(message['traits']).slice(0, MOST_MESSAGES);
    return Object.assign(
      {},
      ...treesOf(traits.map((one) => this.#follow(one, document).value)),
      message,
    ) as Tree;
  }

  #follow(value: unknown, document: ImportFile): Found {
    return this.#references.follow({ value, document });
  }
}

function lastStep(value: unknown): string | undefined {
  const reference = memberOf(value, '$ref');
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}
