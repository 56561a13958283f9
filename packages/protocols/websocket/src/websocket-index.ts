import {
  insertByRank,
  PathTree,
  removeByRank,
  withMock,
  withoutMock,
  type Bucket,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledWebsocket } from './matcher.js';
import type { WebsocketMessage } from './message.js';

type Mock = IndexedMock<CompiledWebsocket>;

/** The mocks of one path pattern. */
interface PathMocks {
  /** All of them, for connections. */
  readonly all: Bucket<CompiledWebsocket>;
  /** Those with a rule that can match more than one message. */
  readonly open: Bucket<CompiledWebsocket>;
  /** The others by the messages they match: texts as they are, bytes as one character each. */
  readonly byText: ByMessage;
  readonly byBytes: ByMessage;
}

/** Finds mocks by path, and by message where their rules are for exact ones: neither number adds to what a message costs. */
export class WebsocketIndex implements MockIndex<WebsocketMessage, CompiledWebsocket> {
  readonly #tree = new PathTree<PathMocks>();
  readonly #found: PathMocks[] = [];

  add(mock: Mock): void {
    this.#tree.change(mock.compiled.path, (kept) => {
      const place = kept ?? { all: [], open: [], byText: new Map(), byBytes: new Map() };
      insertByRank(place.all, mock);
      const keys = exactKeys(mock.compiled);
      if (keys === undefined) insertByRank(place.open, mock);
      for (const text of keys?.texts ?? []) addTo(place.byText, text, mock);
      for (const bytes of keys?.bytes ?? []) addTo(place.byBytes, bytes, mock);
      return place;
    });
  }

  remove(mock: Mock): void {
    this.#tree.change(mock.compiled.path, (kept) => {
      if (kept === undefined) return undefined;
      removeByRank(kept.all, mock);
      const keys = exactKeys(mock.compiled);
      if (keys === undefined) removeByRank(kept.open, mock);
      for (const text of keys?.texts ?? []) removeFrom(kept.byText, text, mock);
      for (const bytes of keys?.bytes ?? []) removeFrom(kept.byBytes, bytes, mock);
      return kept.all.length === 0 ? undefined : kept;
    });
  }

  find(message: WebsocketMessage, found: Candidates<CompiledWebsocket>[]): void {
    const places = this.#found;
    this.#tree.find(message.handshake.split, places);
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      if (message.method === 'MESSAGE' && !message.isUnmatched) findRules(place, message.body ?? '', found);
      else found.push(place.all);
    }
  }
}

function findRules(place: PathMocks, body: string | Buffer, found: Candidates<CompiledWebsocket>[]): void {
  if (place.open.length > 0) found.push(place.open);
  const exact =
    typeof body === 'string'
      ? place.byText.get(body)
      : place.byBytes.size > 0
        ? place.byBytes.get(body.toString('latin1'))
        : undefined;
  if (exact !== undefined) found.push(exact);
}

/** The only messages that the rules of a mock match; `undefined` when some rule matches more. */
function exactKeys({ rules }: CompiledWebsocket): { texts: Set<string>; bytes: Set<string> } | undefined {
  const texts = new Set<string>();
  const bytes = new Set<string>();
  for (const { pattern, bytes: wanted } of rules) {
    if (pattern === undefined ? wanted === undefined : pattern.exact === undefined) return undefined;
    if (pattern?.exact !== undefined) texts.add(pattern.exact);
    if (wanted !== undefined) bytes.add(wanted.toString('latin1'));
  }
  return { texts, bytes };
}

type ByMessage = Map<string, Candidates<CompiledWebsocket>>;

function addTo(map: ByMessage, key: string, mock: Mock): void {
  map.set(key, withMock(map.get(key), mock));
}

function removeFrom(map: ByMessage, key: string, mock: Mock): void {
  const left = withoutMock(map.get(key), mock);
  if (left === undefined) map.delete(key);
  else map.set(key, left);
}
