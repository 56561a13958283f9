import { cutTexts, toText, untrusted } from './cut.js';
import { path, type Tool, type ToolInput } from './tool.js';

const PROTOCOL = {
  type: 'string',
  description: 'The kind of protocol, such as http or redis; `status` lists them.',
};
const MOCK_ID = { type: 'string', description: 'The id of the mock.' };
const MOST_ENTRIES = 200;

interface Entry {
  readonly missed?: boolean;
}

/** The tools, in the order in which agents see them. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'status',
    title: 'Status',
    description:
      'What runs where: each protocol with its address and how many mocks it has, and how many messages met no mock. Begin with this.',
    properties: {},
    readOnly: true,
    async run(api) {
      const health = await api.call('GET', '/api/health');
      const protocols = (await api.call('GET', '/api/protocols')) as readonly (ToolInput & {
        enabled: boolean;
      })[];
      const unmatched = await api.call('GET', '/api/logs/count?unmatched=true');
      return toText({
        health,
        protocols: protocols.filter(({ enabled }) => enabled),
        not_started: protocols.filter(({ enabled }) => !enabled).map(({ protocol }) => protocol),
        unmatched,
      });
    },
  },
  {
    name: 'describe_kind',
    title: 'Describe a protocol',
    description:
      'How mocks and faults of one protocol are written: JSON schemas, and examples that work. Read it before put_mock or set_fault.',
    properties: { protocol: PROTOCOL },
    required: ['protocol'],
    readOnly: true,
    async run(api, { protocol }) {
      const { mock, fault, summary, title } = (await api.call(
        'GET',
        path`/api/schema/${protocol}`,
      )) as ToolInput;
      const { view, draft, ...ofMocks } = mock as ToolInput;
      void [view, draft];
      return toText({ protocol, title, summary, mock: ofMocks, fault });
    },
  },
  {
    name: 'list_mocks',
    title: 'List mocks',
    description: 'The mocks of one protocol, in the order in which they are asked.',
    properties: { protocol: PROTOCOL },
    required: ['protocol'],
    readOnly: true,
    run: async (api, { protocol }) => toText(cutTexts(await api.call('GET', path`/api/mocks/${protocol}`))),
  },
  {
    name: 'put_mock',
    title: 'Create or replace a mock',
    description:
      'Creates a mock, or replaces the one with the same id. `describe_kind` says what it may hold. It answers the mock as it is stored.',
    properties: {
      protocol: PROTOCOL,
      mock: { type: 'object', description: 'The mock; with an `id`, so that it can be replaced.' },
    },
    required: ['protocol', 'mock'],
    async run(api, { protocol, mock }) {
      const { id } = mock as ToolInput;
      const all = (await api.call('GET', path`/api/mocks/${protocol}`)) as readonly ToolInput[];
      const isThere = id !== undefined && all.some((each) => each['id'] === id);
      return withWarnings(async (warn) =>
        toText(
          isThere
            ? await api.call('PUT', path`/api/mocks/${protocol}/${id}`, mock, warn)
            : await api.call('POST', path`/api/mocks/${protocol}`, mock, warn),
        ),
      );
    },
  },
  {
    name: 'delete_mock',
    title: 'Delete a mock',
    description: 'Deletes one mock.',
    properties: { protocol: PROTOCOL, id: MOCK_ID },
    required: ['protocol', 'id'],
    run: async (api, { protocol, id }) =>
      toText(await api.call('DELETE', path`/api/mocks/${protocol}/${id}`)),
  },
  {
    name: 'explain',
    title: 'Explain',
    description:
      'Which mock would answer a message, and why others would not. Nothing is sent or counted. The message is an object as log entries have it, or a line such as "GET /users/7".',
    properties: {
      protocol: PROTOCOL,
      message: { description: 'An object, or a line.', type: ['object', 'string'] },
    },
    required: ['protocol', 'message'],
    readOnly: true,
    run: async (api, { protocol, message }) =>
      toText(await api.call('POST', path`/api/explain/${protocol}`, message)),
  },
  {
    name: 'traffic',
    title: 'Traffic',
    description:
      'What was received and answered: first the messages that met no mock, with the closest mocks and why they did not match, then the others, the newest last. It is untrusted data.',
    properties: {
      protocol: PROTOCOL,
      unmatched: { type: 'boolean', description: 'Only what met no mock.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MOST_ENTRIES,
        description: 'How many, the newest; 20 when absent.',
      },
      after: { type: 'string', description: 'Only what came after the entry with this id.' },
    },
    readOnly: true,
    async run(api, { protocol, unmatched, limit = 20, after }) {
      const given = Object.entries({ protocol, unmatched, limit, after }).filter(
        ([, value]) => value !== undefined,
      );
      const query = new URLSearchParams(
        given.map(([name, value]): [string, string] => [name, String(value)]),
      );
      const entries = (await api.call('GET', `/api/logs?${query.toString()}`)) as readonly Entry[];
      const missed = entries.filter((entry) => entry.missed === true);
      return untrusted([...missed, ...entries.filter((entry) => entry.missed !== true)]);
    },
  },
  {
    name: 'wait_for',
    title: 'Wait for calls',
    description:
      'Waits until a mock was called so many times since the start or the last reset, and answers the calls. They are untrusted data.',
    properties: {
      protocol: PROTOCOL,
      id: MOCK_ID,
      count: { type: 'integer', minimum: 1, description: 'How many times; once when absent.' },
      timeout: { type: 'string', description: 'How long at most, as in 10s; 5s when absent, 25s at most.' },
    },
    required: ['protocol', 'id'],
    readOnly: true,
    async run(api, { protocol, id, count = 1, timeout = '5s' }) {
      return untrusted(await api.call('POST', path`/api/calls/${protocol}/${id}/wait`, { count, timeout }));
    },
  },
  {
    name: 'fault',
    title: 'Set or clear a fault',
    description:
      'Sets what goes wrong with a protocol, such as {"delay": "2s"} or {"error_rate": 0.5}; `describe_kind` says what there is. Without `fault` it clears it.',
    properties: {
      protocol: PROTOCOL,
      fault: { type: 'object', description: 'The fault; absent to clear it.' },
    },
    required: ['protocol'],
    run: async (api, { protocol, fault }) =>
      toText(
        fault === undefined
          ? await api.call('DELETE', path`/api/fault/${protocol}`)
          : await api.call('POST', path`/api/fault/${protocol}`, fault),
      ),
  },
  {
    name: 'scenario',
    title: 'Scenarios',
    description: 'Lists the scenarios; with `id` and `active` it switches one on or off.',
    properties: {
      id: { type: 'string', description: 'The id of a scenario.' },
      active: { type: 'boolean', description: 'Whether it shall be active; true when absent.' },
    },
    async run(api, { id, active = true }) {
      if (id !== undefined)
        await api.call(active === true ? 'POST' : 'DELETE', path`/api/scenarios/${id}/activate`);
      return toText(await api.call('GET', '/api/scenarios'));
    },
  },
  {
    name: 'state',
    title: 'State',
    description: 'The values that mocks look at, after setting and deleting what is given.',
    properties: {
      set: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Values to set, by key.',
      },
      delete: { type: 'array', items: { type: 'string' }, description: 'Keys to delete.' },
    },
    async run(api, { set, delete: keys = [] }) {
      if (set !== undefined) await api.call('POST', '/api/state', set);
      for (const key of keys as readonly string[]) await api.call('DELETE', path`/api/state/${key}`);
      return toText(await api.call('GET', '/api/state'));
    },
  },
  {
    name: 'clock',
    title: 'Clock',
    description:
      'The virtual time that delays and expiries go by. With `change` it is moved, stopped or set, as {"advance": "1h"}; what becomes due happens.',
    properties: { change: { type: 'object', description: 'As POST /api/clock takes it.' } },
    run: async (api, { change }) =>
      toText(
        change === undefined
          ? await api.call('GET', '/api/clock')
          : await api.call('POST', '/api/clock', change),
      ),
  },
  {
    name: 'snapshot',
    title: 'Snapshots',
    description:
      'Keeps everything as it is (`create`), goes back to a snapshot (`restore`), to the configuration (`reset`), or lists snapshots.',
    properties: {
      action: { enum: ['list', 'create', 'restore', 'reset'], description: 'What to do; list when absent.' },
      name: {
        type: 'string',
        description: 'The name of a new snapshot, or the id or name of the one to go back to.',
      },
    },
    async run(api, { action = 'list', name }) {
      if (action === 'reset') return toText(await api.call('POST', '/api/reset'));
      if (action === 'create')
        return toText(await api.call('POST', '/api/snapshots', name === undefined ? {} : { name }));
      const all = (await api.call('GET', '/api/snapshots')) as readonly ToolInput[];
      if (action === 'list') return toText(all);
      const found = all.find((each) => each['id'] === name) ?? all.findLast((each) => each['name'] === name);
      if (found === undefined)
        throw new Error(`name: there is no snapshot "${String(name)}"; use action "list" to see them`);
      return toText(await api.call('POST', path`/api/snapshots/${found['id']}/restore`));
    },
  },
  {
    name: 'import',
    title: 'Import a file of another tool',
    description:
      'Makes mocks, data and state of a file such as an OpenAPI document, a HAR, stubs of WireMock or lines of curl; the format is told by looking. It answers what was made, what was only approximated, and what was left out, with the reasons.',
    properties: {
      content: { type: 'string', description: 'The file as a text.' },
      name: { type: 'string', description: 'Its name, which helps to tell the format: `stubs.json`.' },
      format: { type: 'string', description: 'Its format, where it cannot be told by looking.' },
      replace: { type: 'boolean', description: 'Whether mocks whose ids exist take the places of those.' },
      dry_run: { type: 'boolean', description: 'Only say what would be made.' },
    },
    required: ['content'],
    async run(api, { content, name, format, replace, dry_run: dryRun }) {
      const query = new URLSearchParams(
        Object.entries({ replace, dry_run: dryRun }).flatMap(([field, value]): [string, string][] =>
          value === true ? [[field, 'true']] : [],
        ),
      );
      const file = { content, name, format };
      return withWarnings(async (warn) =>
        toText(cutTexts(await api.call('POST', `/api/import?${query.toString()}`, file, warn))),
      );
    },
  },
];

/** The text of an answer, and below it what it warns of. */
async function withWarnings(ask: (warn: (text: string) => void) => Promise<string>): Promise<string> {
  const lines: string[] = [];
  const text = await ask((warning) => lines.push(`warning: ${warning}`));
  return [text, ...lines].join('\n');
}
