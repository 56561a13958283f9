import { isTree, treeOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { namedAddress } from '../address.js';
import { answerContent, contentOf, variantsOf } from '../content.js';
import type { Channel, Example, Message, Operation, Tools } from '../document.js';
import { noteUnused, type Writer, type WriterDeclaration } from '../writer.js';

/** Channels are paths to which clients connect. */
export const websocket: WriterDeclaration = {
  kind: 'websocket',
  protocols: ['ws', 'wss', 'websocket', 'websockets'],
  create: (tools) => new WebsocketWriter(tools),
};

interface PathMock {
  readonly id: string;
  readonly path: string;
  readonly rules: Tree[];
}

class WebsocketWriter implements Writer {
  readonly #mocks = new Map<string, PathMock>();

  constructor(private readonly tools: Tools) {}

  receive(operation: Operation): void {
    const mock = this.#mockOf(operation.channel);
    if (mock === undefined) return;
    for (const { message, pattern, answer } of variantsOf(operation, this.tools)) {
      const content = answer === undefined ? {} : answerContent(message, answer, 'respond').content;
      mock.rules.push(withoutAbsent({ match: pattern, ...content }));
    }
  }

  send({ channel }: Operation, message: Message, example: Example): Tree | undefined {
    const mock = this.#mockOf(channel);
    if (mock === undefined) return undefined;
    const { payload } = example;
    if (payload === undefined) {
      this.tools.notes.refused(message.place, 'a message without a payload is not sent');
      return undefined;
    }
    const content = contentOf(message, example, 'text');
    return {
      to: mock.id,
      data: typeof content['text'] === 'string' ? content['text'] : { json: content['json'] },
    };
  }

  finish(): ReturnType<Writer['finish']> {
    return {
      block: {
        mocks: Array.from(this.#mocks.values(), ({ id, path, rules }) =>
          withoutAbsent({
            id,
            path,
            // Rules that tell messages apart come before one that takes any.
            on_message:
              rules.length === 0
                ? undefined
                : rules.toSorted(
                    (a, b) => Number(a['match'] === undefined) - Number(b['match'] === undefined),
                  ),
          }),
        ),
      },
    };
  }

  /** The mock of a path, which all operations of it share. */
  #mockOf(channel: Channel): PathMock | undefined {
    const { notes, ids } = this.tools;
    const base = channel.servers[0]?.path ?? '';
    const address = channel.address ?? '';
    if (/[\s\0*?#]/.test(address) || address.length > 2000) {
      notes.refused(channel.place, `"${address.slice(0, 100)}" is no path`);
      return undefined;
    }
    const below = namedAddress(address.startsWith('/') || address === '' ? address : `/${address}`);
    const path = base + (below === '/' && base !== '' ? '' : below) || '/';
    const known = this.#mocks.get(path);
    if (known !== undefined) return known;
    const binding = treeOf(channel.bindings['ws']);
    if (isTree(binding['query']) || isTree(binding['headers']))
      notes.approximated(channel.place, 'the query and the headers of a handshake are not asked for');
    noteUnused(binding, ['method', 'query', 'headers'], channel.place, 'ws', this.tools);
    const mock = { id: ids.take(channel.name.replace(/^\/$/, '') || 'root'), path, rules: [] };
    this.#mocks.set(path, mock);
    return mock;
  }
}
