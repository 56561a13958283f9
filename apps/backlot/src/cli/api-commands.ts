import type { Command } from 'commander';
import type { ApiClient } from '../client/api-client.js';
import { apiPath } from '../client/paths.js';
import { addClientFlags, connect, type ClientFlags } from './connect.js';

type Options = Readonly<Record<string, string | undefined>>;

/** A command that is one request of the management API, and how its answer is shown. */
interface ApiCommand {
  /** With its arguments, as in `list <protocol> <mock>`. */
  readonly name: string;
  readonly description: string;
  readonly isDefault?: boolean;
  readonly options?: readonly (readonly [flags: string, description: string])[];
  ask(api: ApiClient, args: readonly (string | undefined)[], options: Options): Promise<unknown>;
  /** A list as a table of these fields; what is no list, and what has none, is printed as JSON. */
  readonly columns?: readonly string[];
  /** What is printed of an answer that has nothing to show. */
  readonly says?: string;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly ApiCommand[];
}

const COUNT = ['--count <number>', 'how many (default: 1)'] as const;
const TIMEOUT = ['--timeout <duration>', 'how long at most, as in 10s'] as const;

const GROUPS: readonly Group[] = [
  {
    name: 'calls',
    description: 'list, wait for and clear the calls of a mock',
    commands: [
      {
        name: 'list <protocol> <mock>',
        description: 'list them',
        isDefault: true,
        columns: ['id', 'timestamp', 'method', 'path', 'status', 'duration_ms', 'remote'],
        ask: async (api, [kind, mock]) => callsIn(await api.get(apiPath`/api/calls/${kind}/${mock}`)),
      },
      {
        name: 'wait <protocol> <mock>',
        description: 'wait until there are so many; ends with 1 when they do not come',
        options: [COUNT, TIMEOUT],
        columns: ['id', 'timestamp', 'method', 'path', 'status', 'duration_ms', 'remote'],
        ask: async (api, [kind, mock], options) =>
          callsIn(await api.post(apiPath`/api/calls/${kind}/${mock}/wait`, waitOf(options))),
      },
      {
        name: 'clear <protocol> [mock]',
        description: 'clear the log entries of a mock, or of a protocol, and its call counts',
        says: 'cleared',
        ask: (api, [kind, mock]) =>
          api.delete(mock === undefined ? apiPath`/api/calls/${kind}` : apiPath`/api/calls/${kind}/${mock}`),
      },
    ],
  },
  {
    name: 'messages',
    description: 'list, wait for and clear captured messages, such as mails',
    commands: [
      {
        name: 'list <protocol>',
        description: 'list them',
        isDefault: true,
        columns: [
          'id',
          'received_at',
          'timestamp',
          'from',
          'to',
          'topic',
          'subject',
          'exchange',
          'routing_key',
          'destination',
          'payload',
          'value',
          'body',
        ],
        ask: async (api, [kind]) => api.get(await messagesPath(api, kind)),
      },
      {
        name: 'show <protocol> <id>',
        description: 'print one whole',
        ask: async (api, [kind, id]) => api.get(`${await messagesPath(api, kind)}${apiPath`/${id}`}`),
      },
      {
        name: 'wait <protocol>',
        description: 'wait until there are so many; ends with 1 when they do not come',
        options: [COUNT, TIMEOUT],
        columns: ['id', 'received_at', 'from', 'to', 'topic', 'subject', 'payload', 'body'],
        ask: async (api, [kind], options) =>
          api.post(`${await messagesPath(api, kind)}/wait`, waitOf(options)),
      },
      {
        name: 'clear <protocol>',
        description: 'forget them',
        says: 'cleared',
        ask: async (api, [kind]) => api.delete(await messagesPath(api, kind)),
      },
    ],
  },
  {
    name: 'clock',
    description: 'show, move, stop and set the virtual time',
    commands: [
      { name: 'show', description: 'show it', isDefault: true, ask: (api) => api.get('/api/clock') },
      {
        name: 'advance <duration>',
        description: 'move it forward, as in 1h; what becomes due happens',
        ask: (api, [advance]) => api.post('/api/clock', { advance }),
      },
      {
        name: 'set <time>',
        description: 'jump to a time, as in 2030-01-01T00:00:00Z',
        ask: (api, [now]) => api.post('/api/clock', { now }),
      },
      { name: 'stop', description: 'stop it', ask: (api) => api.post('/api/clock', { freeze: true }) },
      { name: 'go', description: 'let it go on', ask: (api) => api.post('/api/clock', { freeze: false }) },
    ],
  },
  {
    name: 'webhooks',
    description: 'list, send and clear webhooks',
    commands: [
      {
        name: 'list',
        description: 'list the attempts to send some',
        isDefault: true,
        columns: ['id', 'timestamp', 'mock_id', 'method', 'url', 'status', 'attempt', 'error'],
        ask: (api) => api.get('/api/webhooks'),
      },
      {
        name: 'show <id>',
        description: 'print one attempt whole',
        ask: (api, [id]) => api.get(apiPath`/api/webhooks/${id}`),
      },
      {
        name: 'send [webhook]',
        description: 'send one now: JSON, YAML, a file, or - for standard input',
        ask: async (api, [source]) => api.post('/api/webhooks/send', await inputOf(source, 'webhook')),
      },
      {
        name: 'clear',
        description: 'forget the attempts',
        says: 'cleared',
        ask: (api) => api.delete('/api/webhooks'),
      },
    ],
  },
  {
    name: 'push',
    description: 'send into open streams, list and end them',
    commands: [
      {
        name: 'list',
        description: 'list the open streams of all protocols',
        columns: ['id', 'protocol', 'mock_id', 'started_at'],
        ask: (api) => api.get('/api/streams'),
      },
      {
        name: 'send <protocol> [data]',
        description: 'send into those of a mock, or one: JSON, YAML, a file, or - for standard input',
        isDefault: true,
        options: [
          ['--stream <id>', 'only into this one'],
          ['--mock <id>', 'only into those of this mock'],
        ],
        ask: async (api, [protocol, source], options) =>
          api.post('/api/streams/push', {
            ...(await targetOf(protocol, options)),
            data: await inputOf(source, 'data'),
          }),
      },
      {
        name: 'close <protocol>',
        description: 'end those of a mock, or one',
        options: [
          ['--stream <id>', 'only this one'],
          ['--mock <id>', 'only those of this mock'],
          ['--error <text>', 'end them with an error'],
        ],
        ask: async (api, [protocol], options) =>
          api.post('/api/streams/close', {
            ...(await targetOf(protocol, options)),
            ...(options['error'] === undefined ? {} : { error: options['error'] }),
          }),
      },
    ],
  },
  {
    name: 'collection',
    description: 'list, show and change collections: data that mocks read and change',
    commands: [
      {
        name: 'list',
        description: 'list them',
        isDefault: true,
        columns: ['name', 'key', 'rows'],
        ask: (api) => api.get('/api/collections'),
      },
      {
        name: 'show <name> [key]',
        description: 'print the rows of one, or one row',
        ask: (api, [name, key]) =>
          api.get(
            key === undefined ? apiPath`/api/collections/${name}` : apiPath`/api/collections/${name}/${key}`,
          ),
      },
      {
        name: 'add <name> [row]',
        description: 'add a row: JSON, YAML, a file, or - for standard input',
        ask: async (api, [name, source]) =>
          api.post(apiPath`/api/collections/${name}`, await inputOf(source, 'row')),
      },
      {
        name: 'set <name> [rows]',
        description: 'put rows in place of all: a list, or a declaration with rows',
        ask: async (api, [name, source]) =>
          api.put(apiPath`/api/collections/${name}`, await inputOf(source, 'rows')),
      },
      {
        name: 'delete <name> [key]',
        description: 'remove one, or a row',
        says: 'deleted',
        ask: (api, [name, key]) =>
          api.delete(
            key === undefined ? apiPath`/api/collections/${name}` : apiPath`/api/collections/${name}/${key}`,
          ),
      },
    ],
  },
];

/** Adds the commands that are one request each. */
export function addApiCommands(program: Command): void {
  for (const { name, description, commands } of GROUPS) {
    const group = program.command(name).description(description);
    for (const each of commands) {
      const command = addClientFlags(
        group.command(each.name, { isDefault: each.isDefault === true }).description(each.description),
      );
      for (const [flags, text] of each.options ?? []) command.option(flags, text);
      command.action(async (...given: unknown[]) => {
        const [flags] = given.slice(-2) as [ClientFlags & Options];
        const args = given.slice(0, -2) as (string | undefined)[];
        const answer = await each.ask(await connect(flags), args, flags);
        (await import('./client/show-answer.js')).showAnswer(answer, each, flags);
      });
    }
  }
}

function callsIn(answer: unknown): unknown {
  return (answer as { calls?: unknown }).calls ?? answer;
}

function waitOf({ count, timeout }: Options): object {
  return {
    ...(count === undefined ? {} : { count: /^\d+$/.test(count) ? Number(count) : count }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

async function targetOf(protocol: string | undefined, { stream, mock }: Options): Promise<object> {
  if ((stream === undefined) === (mock === undefined)) {
    const { CommandError } = await import('./command-error.js');
    throw new CommandError('give either --stream or --mock; "backlot push list" shows the open streams');
  }
  return { protocol, ...(stream === undefined ? { mock_id: mock } : { conn_id: stream }) };
}

/** Where the messages that a kind captures are. */
async function messagesPath(api: ApiClient, kind: string | undefined): Promise<string> {
  const { captures } = (await api.get(apiPath`/api/schema/${kind}`)) as { captures?: { path?: unknown } };
  if (typeof captures?.path === 'string') return captures.path;
  const { CommandError } = await import('./command-error.js');
  throw new CommandError(
    `${kind ?? ''} captures no messages; "backlot logs --protocol ${kind ?? ''}" shows its traffic`,
  );
}

async function inputOf(source: string | undefined, what: string): Promise<unknown> {
  return (await import('../client/read-input.js')).readInput(source, what);
}
