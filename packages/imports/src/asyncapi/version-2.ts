import { isTree, listOf, memberOf, pointTo, textOf, treeOf } from '@backlot/contracts';
import type { Channel, Operation, Tools } from './document.js';
import { readMessages } from './message.js';
import { readServers } from './servers.js';
import { mergeTraits } from './traits.js';

/** What clients publish is what the application receives; what they subscribe to is what it sends. */
const ACTIONS = { publish: 'receive', subscribe: 'send' } as const;

/** The operations of a document of version 2. */
export function* readVersion2(tools: Tools): Generator<Operation | undefined, void, undefined> {
  const { root, file, references } = tools;
  const servers = readServers(tools);
  for (const [address, given] of Object.entries(treeOf(root['channels']))) {
    const { value, document } = references.follow({ value: given, document: file });
    if (!isTree(value)) continue;
    const place = pointTo('/channels', address);
    const names = listOf(value['servers']).filter((one) => typeof one === 'string');
    const channel: Channel = {
      name: address,
      address,
      parameters: treeOf(value['parameters']),
      bindings: treeOf(references.follow({ value: value['bindings'], document }).value),
      servers: Array.from(servers.values()).filter(({ name }) => names.length === 0 || names.includes(name)),
      document,
      place,
    };
    for (const [word, action] of Object.entries(ACTIONS) as [keyof typeof ACTIONS, 'receive' | 'send'][]) {
      const one = memberOf(value, word);
      if (!isTree(one)) continue;
      const operation = mergeTraits(one, document, tools);
      const at = pointTo(place, word);
      const id = textOf(operation['operationId']) ?? `${word}-${address}`;
      const messages = yield* readMessages(
        { value: operation['message'], document },
        id,
        pointTo(at, 'message'),
        tools,
      );
      yield {
        id,
        action,
        channel,
        messages,
        bindings: treeOf(references.follow({ value: operation['bindings'], document }).value),
        reply: undefined,
        place: at,
      };
    }
  }
}
