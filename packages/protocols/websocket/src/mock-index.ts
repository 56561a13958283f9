import {
  ComposedIndex,
  ExactIndex,
  PathTree,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { CompiledWebsocket } from './matcher.js';
import type { WebsocketMessage } from './message.js';

type Held = Candidates<CompiledWebsocket>;

/** The mocks of one path pattern. */
interface PathMocks {
  /** All of them, for connections, and those with a rule that can match more than one message. */
  readonly some: ExactIndex<'all' | 'open', Held>;
  /** The others by the messages they match: texts as they are, bytes as one character each. */
  readonly byText: ExactIndex<string, Held>;
  readonly byBytes: ExactIndex<string, Held>;
}

/** Finds mocks by path, and by message where their rules are for exact ones: neither number adds to what a message costs. */
export class WebsocketIndex extends ComposedIndex<WebsocketMessage, CompiledWebsocket> {
  readonly #tree = new PathTree<PathMocks>();
  readonly #found: PathMocks[] = [];
  #dialects = 0;
  #closings = 0;

  find(message: WebsocketMessage, found: Held[]): void {
    const places = this.#found;
    this.#tree.find(message.handshake.split, places);
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (message.method === 'MESSAGE' && !message.isUnmatched) findRules(place, message.key, found);
      else place.some.find('all', found);
    }
  }

  /** How many mocks have a dialect. */
  get dialects(): number {
    return this.#dialects;
  }

  /** How many mocks are for the ends of connections. */
  get closings(): number {
    return this.#closings;
  }

  override add(mock: IndexedMock<CompiledWebsocket>): void {
    if (mock.compiled.closing !== undefined) this.#closings += 1;
    if (mock.compiled.dialect !== undefined) this.#dialects += 1;
    super.add(mock);
  }

  override remove(mock: IndexedMock<CompiledWebsocket>): void {
    if (mock.compiled.closing !== undefined) this.#closings -= 1;
    if (mock.compiled.dialect !== undefined) this.#dialects -= 1;
    super.remove(mock);
  }

  protected change(compiled: CompiledWebsocket, change: Change<Held>): void {
    this.#tree.change(compiled.path, (held) => {
      const place = held ?? { some: new ExactIndex(), byText: new ExactIndex(), byBytes: new ExactIndex() };
      place.some.change('all', change);
      const keys = exactKeys(compiled);
      if (keys === undefined) place.some.change('open', change);
      for (const text of keys?.texts ?? []) place.byText.change(text, change);
      for (const bytes of keys?.bytes ?? []) place.byBytes.change(bytes, change);
      return place.some.size === 0 ? undefined : place;
    });
  }
}

function findRules({ some, byText, byBytes }: PathMocks, body: string | Buffer, found: Held[]): void {
  some.find('open', found);
  if (typeof body === 'string') byText.find(body, found);
  else if (byBytes.size > 0) byBytes.find(body.toString('latin1'), found);
}

/** The only messages that the rules of a mock match; `undefined` when some rule matches more. */
function exactKeys({ rules }: CompiledWebsocket): { texts: Set<string>; bytes: Set<string> } | undefined {
  const texts = new Set<string>();
  const bytes = new Set<string>();
  for (const { exact } of rules) {
    if (exact === undefined) return undefined;
    for (const text of exact.texts) texts.add(text);
    for (const wanted of exact.bytes) bytes.add(wanted.toString('latin1'));
  }
  return { texts, bytes };
}
