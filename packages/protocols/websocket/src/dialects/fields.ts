import type { CompileTools, Pointer } from '@backlot/core/plugin';

/** The names of dialects, as mocks give them. */
export const DIALECTS = ['socket.io', 'signalr', 'phoenix'] as const;

/** What is spoken over WebSocket as well, and is a kind of its own. */
export const OTHER_KINDS = {
  graphql:
    'GraphQL over WebSocket is the kind graphql, which takes it beside HTTP on its own port, or on that of HTTP with share: http',
  stomp: 'STOMP over WebSocket is the kind stomp, which takes it beside TCP on its own port',
} as const;

/** What is spoken on top of WebSocket. */
export type DialectName = (typeof DIALECTS)[number];

/** What the fields of a mock are called in a dialect. */
interface DialectFields {
  /** The path of a mock that gives none. */
  readonly path?: string;
  /** What a client enters, and what names it in messages. */
  readonly room?: 'namespace' | 'topic';
  /** What a message is called by. */
  readonly name: 'event' | 'target';
  /** What a message carries. */
  readonly content: 'args' | 'payload';
  /** The field with the answer to a message that asks for one. */
  readonly answer: 'ack' | 'result' | 'reply';
  readonly mock: readonly string[];
  readonly onConnect: readonly string[];
  readonly rule: readonly string[];
}

/** Fields of a mock that are there with and without a dialect. */
const EVERYWHERE = ['path', 'host', 'subprotocol', 'on_connect', 'on_message', 'on_close'];

/** The fields of each dialect. */
export const FIELDS: Readonly<Record<DialectName, DialectFields>> = {
  'socket.io': {
    path: '/socket.io/',
    room: 'namespace',
    name: 'event',
    content: 'args',
    answer: 'ack',
    mock: [...EVERYWHERE, 'namespace'],
    onConnect: ['send', 'delay', 'error'],
    rule: ['event', 'args', 'ack', 'send', 'delay', 'close'],
  },
  signalr: {
    name: 'target',
    content: 'args',
    answer: 'result',
    mock: EVERYWHERE,
    onConnect: ['send', 'delay', 'error'],
    rule: ['target', 'args', 'result', 'error', 'items', 'interval', 'send', 'delay', 'close'],
  },
  phoenix: {
    path: '/socket/websocket',
    room: 'topic',
    name: 'event',
    content: 'payload',
    answer: 'reply',
    mock: [...EVERYWHERE, 'topic'],
    onConnect: ['reply', 'error', 'send', 'delay'],
    rule: ['event', 'payload', 'reply', 'error', 'send', 'delay', 'close'],
  },
};

const PLAIN = {
  mock: [...EVERYWHERE, 'framing'],
  onConnect: ['send', 'json', 'send_binary', 'delay'],
  rule: ['match', 'match_binary', 'respond', 'json', 'respond_binary', 'delay', 'close'],
  said: ['body', 'json', 'body_base64', 'delay'],
};

/** The fields that only some mocks have: of all others, those of core among them, nothing is said here. */
const OWN = new Set([...PLAIN.mock, ...Object.values(FIELDS).flatMap(({ mock }) => mock)]);

type Source = Readonly<Record<string, unknown>>;

/** Notes fields that mean nothing in the dialect of a mock, or without one. */
export function checkFields(mock: Source, dialect: DialectName | undefined, tools: CompileTools): void {
  const known = dialect === undefined ? PLAIN : FIELDS[dialect];
  const said = dialect === undefined ? PLAIN.said : saidFields(dialect);
  const where = dialect === undefined ? 'without "dialect"' : `in the dialect ${dialect}`;
  const check = (source: unknown, names: readonly string[], at: Pointer): void => {
    for (const name of Object.keys(source ?? {})) {
      if (names.includes(name) || (at === '' && !OWN.has(name))) continue;
      tools.problem(`${at}/${name}`, `"${name}" means nothing ${where}; known are ${names.join(', ')}`);
    }
  };
  const checkSent = (list: unknown, at: Pointer): void => {
    if (!Array.isArray(list)) return;
    list.forEach((item, index) => {
      if (typeof item === 'object') check(item, said, `${at}/${index}`);
    });
  };
  check(mock, known.mock, '');
  const { on_connect: onConnect, on_message: onMessage } = mock;
  check(onConnect, known.onConnect, '/on_connect');
  checkSent((onConnect as Source | undefined)?.['send'], '/on_connect/send');
  ((onMessage ?? []) as readonly Source[]).forEach((rule, index) => {
    check(rule, known.rule, `/on_message/${index}`);
    checkSent(rule['send'] ?? rule['respond'], `/on_message/${index}/${'send' in rule ? 'send' : 'respond'}`);
  });
}

function saidFields(dialect: DialectName): readonly string[] {
  const { name, content } = FIELDS[dialect];
  return [name, content, 'delay'];
}
