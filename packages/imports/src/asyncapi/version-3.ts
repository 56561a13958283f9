import type { ImportFile } from '@backlot/core/plugin';
import { isTree, listOf, memberOf, pointTo, textOf, treeOf, type Tree } from '@backlot/contracts';
import type { Channel, Message, Operation, Reply, Server, Tools } from './document.js';
import { readMessages } from './message.js';
import { readServers } from './servers.js';
import { mergeTraits } from './traits.js';

interface Read {
  readonly channel: Channel;
  readonly tree: Tree;
}

/** The operations of a document of version 3. */
export function* readVersion3(tools: Tools): Generator<Operation | undefined, void, undefined> {
  const { root, file, references } = tools;
  const servers = readServers(tools);
  for (const [id, given] of Object.entries(treeOf(root['operations']))) {
    const { value, document } = references.follow({ value: given, document: file });
    if (!isTree(value)) continue;
    const place = pointTo('/operations', id);
    const operation = mergeTraits(value, document, tools);
    const { action } = operation;
    const target = readChannel(operation['channel'], document, servers, tools);
    if ((action !== 'send' && action !== 'receive') || target === undefined) {
      tools.notes.refused(place, 'an operation has an action, "send" or "receive", and a channel');
      continue;
    }
    yield;
    yield {
      id,
      action,
      channel: target.channel,
      messages: yield* messagesOf(operation, target, document, tools),
      bindings: treeOf(references.follow({ value: operation['bindings'], document }).value),
      reply: yield* readReply(operation['reply'], document, servers, tools),
      place,
    };
  }
}

function readChannel(
  given: unknown,
  from: ImportFile,
  servers: ReadonlyMap<string, Server>,
  { references }: Tools,
): Read | undefined {
  const { value, document } = references.follow({ value: given, document: from });
  if (!isTree(value)) return undefined;
  const name = lastStep(given) ?? 'channel';
  const names = listOf(value['servers']).map(lastStep);
  return {
    tree: value,
    channel: {
      name,
      // Without an address the name of the channel is none: it is known when a message is sent.
      address: textOf(value['address']),
      parameters: treeOf(value['parameters']),
      bindings: treeOf(references.follow({ value: value['bindings'], document }).value),
      servers: Array.from(servers.values()).filter((one) => names.length === 0 || names.includes(one.name)),
      document,
      place: pointTo('/channels', name),
    },
  };
}

function* messagesOf(
  operation: Tree,
  { channel, tree }: Read,
  document: ImportFile,
  tools: Tools,
): Generator<undefined, readonly Message[], undefined> {
  const own = listOf(operation['messages']);
  const all =
    own.length > 0
      ? own.map((value) => ({ name: lastStep(value) ?? 'message', value, document }))
      : fromChannel(channel, tree);
  const messages: Message[] = [];
  for (const { name, value, document: from } of all.slice(0, 500)) {
    const at = pointTo(pointTo(channel.place, 'messages'), name);
    messages.push(...(yield* readMessages({ value, document: from }, name, at, tools)));
  }
  return messages;
}

function fromChannel(
  { document }: Channel,
  tree: Tree,
): readonly { readonly name: string; readonly value: unknown; readonly document: ImportFile }[] {
  return Object.entries(treeOf(tree['messages'])).map(([name, value]) => ({ name, value, document }));
}

function* readReply(
  given: unknown,
  from: ImportFile,
  servers: ReadonlyMap<string, Server>,
  tools: Tools,
): Generator<undefined, Reply | undefined, undefined> {
  if (given === undefined) return undefined;
  const { value, document } = tools.references.follow({ value: given, document: from });
  if (!isTree(value)) return undefined;
  const target = readChannel(value['channel'], document, servers, tools);
  const address = tools.references.follow({ value: value['address'], document }).value;
  return {
    channel: target?.channel.address === undefined ? undefined : target.channel,
    location: textOf(memberOf(address, 'location')),
    messages: target === undefined ? [] : yield* messagesOf(value, target, document, tools),
  };
}

function lastStep(value: unknown): string | undefined {
  const reference = memberOf(value, '$ref');
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}
