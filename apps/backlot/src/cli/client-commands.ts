import { InvalidArgumentError, type Command } from 'commander';
import type { ApplyFlags } from './client/apply.js';
import type { CloseFlags } from './client/connections.js';
import type { ExportFlags } from './client/export.js';
import type { ImportFlags } from './client/import.js';
import type { AgentFlags } from './client/mcp.js';
import type { LogFlags } from './client/logs.js';
import type { SaveFlags } from './client/save.js';
import type { CreateFlags } from './client/spaces.js';
import { addClientFlags, connect, type ClientFlagOptions, type ClientFlags } from './connect.js';
import { readFurther, readInteger, readList } from './start-options.js';

/** Adds the commands that talk to a running server. */
export function addClientCommands(program: Command): void {
  const command = (
    nameAndArguments: string,
    description: string,
    options: ClientFlagOptions = {},
    parent = program,
  ): Command => addClientFlags(parent.command(nameAndArguments).description(description), options);
  const group = (name: string, description: string): Command =>
    program.command(name).description(description);

  command('status', 'say what runs where').action(async (flags: ClientFlags) =>
    (await import('./client/status.js')).status(await connect(flags), flags),
  );
  command('health', 'say whether the server of this folder is up, by its exit code', {
    json: false,
    space: false,
  })
    .option('-c, --config <file>', 'where its address stands (default: as for start)', readFurther)
    .action(async (flags: ClientFlags & { config?: string[] }) =>
      (await import('./client/health.js')).health(flags),
    );
  command('list [protocol]', 'list mocks').action(async (kind: string | undefined, flags: ClientFlags) =>
    (await import('./client/mocks.js')).list(await connect(flags), kind, flags),
  );
  command('add <protocol> [mock]', 'create mocks: JSON, YAML, a file, or - for standard input').action(
    async (kind: string, source: string | undefined, flags: ClientFlags) =>
      (await import('./client/mocks.js')).add(await connect(flags), kind, source, flags),
  );
  command('delete <protocol> <id>', 'delete a mock').action(
    async (kind: string, id: string, flags: ClientFlags) =>
      (await import('./client/mocks.js')).remove(await connect(flags), kind, id, flags),
  );
  command('apply [files...]', 'make the mocks, scenarios and state of a server those of files')
    .option(
      '-f, --file <file>',
      'a configuration file, or a folder of them; may be given more than once (default: as for start)',
      readFurther,
    )
    .option('--set <path=value>', 'a setting over those of the files, as for start', readFurther)
    .option('--prune', 'remove what is not in the files')
    .option('--dry-run', 'say what would be changed, and change nothing')
    .action(async (files: string[], flags: ClientFlags & ApplyFlags) =>
      (await import('./client/apply.js')).apply(await connect(flags), files, flags),
    );
  command('diff [files...]', 'say what of a server is not as files say; ends with 1 when there is something')
    .option('-f, --file <file>', 'as for apply', readFurther)
    .option('--set <path=value>', 'as for apply', readFurther)
    .action(async (files: string[], flags: ClientFlags & ApplyFlags) =>
      (await import('./client/apply.js')).diff(await connect(flags), files, flags),
    );
  command(
    'export',
    'print what runs as a configuration file that starts the same, or with --format as a file of another tool, and say what it could not say',
  )
    .option('--format <format>', 'a format, such as openapi, wiremock, har, curl; "list" lists them')
    .option('--out <file>', 'write it to a file')
    .option('--force', 'replace the file of --out')
    .option('--id <id>', 'which one, for a format whose files hold one thing, such as a mail')
    .action(async (flags: ExportFlags) =>
      (await import('./client/export.js')).exportFile(await connect(flags), flags),
    );
  command(
    'save <file>',
    'write what runs, what was done to it, the time, the seed and the log to one file, for open',
    {
      json: false,
    },
  )
    .option('--force', 'replace the file')
    .option('--with-secrets', 'leave secrets in it (default: REDACTED stands in their places)')
    .action(async (file: string, flags: SaveFlags) =>
      (await import('./client/save.js')).save(await connect(flags), file, flags),
    );
  command(
    'import <files...>',
    'make mocks of files of other tools, such as OpenAPI, HAR, Postman and WireMock, and say what was taken and what not',
  )
    .option('--format <format>', 'their format, where it cannot be told by looking')
    .option('--out <file>', 'write a configuration file, and leave the server alone')
    .option('--force', 'replace the file of --out')
    .option('--replace', 'put mocks in the place of those that have their ids')
    .option('--dry-run', 'only say what would be done; needs no server')
    .option('--plugin <package>', 'a further protocol', readFurther)
    .action(async (files: string[], flags: ImportFlags) =>
      (await import('./client/import.js')).importFiles(files, flags),
    );
  command('reset', 'put everything back to how the server was started').action(async (flags: ClientFlags) =>
    (await import('./client/status.js')).reset(await connect(flags), flags),
  );
  command('logs', 'show the traffic', { space: false })
    .option('--space <id>', 'of this space; * stands for any: of all spaces that fit, in one list')
    .option('-f, --follow', 'go on with what comes')
    .option('--protocol <protocol>', 'only this protocol')
    .option('--matched-id <id>', 'only what this mock answered')
    .option('--unmatched', 'only what met no mock')
    .option('--trace <id>', 'only what belongs to this trace, over all protocols')
    .option(
      '--where <field=pattern>',
      'only what has this in a field, as in path=/orders*, status=5*, since=5m; may be given several times',
      readCondition,
    )
    .option('--after <id>', 'only what came after this entry')
    .option('--limit <number>', 'at most so many, the newest', readInteger)
    .action(async ({ space, ...flags }: LogFlags) =>
      (await import('./client/logs.js')).logs(await connect(flags), { ...flags, space }),
    );
  command(
    'explain <protocol> [message]',
    'say which mock would answer a message (JSON, YAML, a file, or a line such as "GET /users/7"), and why',
  ).action(async (kind: string, source: string | undefined, flags: ClientFlags) =>
    (await import('./client/explain.js')).explain(await connect(flags), kind, source, flags),
  );
  command(
    'verify [check]',
    'say whether the messages that a check expects were received: JSON, YAML, a file, or - for standard input; exits with 1 when not',
  ).action(async (source: string | undefined, flags: ClientFlags) =>
    (await import('./client/verify.js')).verify(await connect(flags), source, flags),
  );

  command('mcp', 'serve an agent on standard input and output (Model Context Protocol)', {
    json: false,
    space: false,
  })
    .option('--space <id>', 'the space that it acts on; made when it is not there')
    .option('--main', 'it acts on the server itself (default: a space of its own, which ends with it)')
    .action(async ({ space, main, ...flags }: ClientFlags & AgentFlags) =>
      (await import('./client/mcp.js')).serve(await connect(flags), { space, main }),
    );

  const scenario = group('scenario', 'list, show, activate and deactivate scenarios');
  command('list', 'list them', {}, scenario).action(async (flags: ClientFlags) =>
    (await import('./client/scenarios.js')).list(await connect(flags), flags),
  );
  command('show <id>', 'print one', {}, scenario).action(async (id: string, flags: ClientFlags) =>
    (await import('./client/scenarios.js')).show(await connect(flags), id),
  );
  command('activate <id>', 'switch one on', {}, scenario).action(async (id: string, flags: ClientFlags) =>
    (await import('./client/scenarios.js')).activate(await connect(flags), id, flags),
  );
  command('deactivate <id>', 'switch one off', {}, scenario).action(async (id: string, flags: ClientFlags) =>
    (await import('./client/scenarios.js')).deactivate(await connect(flags), id, flags),
  );

  const fault = group('fault', 'get, set and clear the faults of a protocol');
  command('get [protocol]', 'print the faults that are set', {}, fault).action(
    async (kind: string | undefined, flags: ClientFlags) =>
      (await import('./client/faults.js')).get(await connect(flags), kind),
  );
  command('set <protocol> [fault]', 'set one: JSON, YAML, a file, or - for standard input', {}, fault).action(
    async (kind: string, source: string | undefined, flags: ClientFlags) =>
      (await import('./client/faults.js')).set(await connect(flags), kind, source),
  );
  command('clear [protocol]', 'take one away, or all', {}, fault).action(
    async (kind: string | undefined, flags: ClientFlags) =>
      (await import('./client/faults.js')).clear(await connect(flags), kind, flags),
  );

  const incident = group(
    'incident',
    'list, begin and end incidents: trouble as servers of a protocol have it',
  );
  command('list', 'list them', {}, incident).action(async (flags: ClientFlags) =>
    (await import('./client/incidents.js')).list(await connect(flags), flags),
  );
  command(
    'show <name>',
    'say what happens, what a good client does, and what can be said of it',
    {},
    incident,
  ).action(async (name: string, flags: ClientFlags) =>
    (await import('./client/incidents.js')).show(await connect(flags), name, flags),
  );
  addClientFlags(
    incident
      .command('start <name> [fields]', { isDefault: true })
      .description('begin one; its fields as JSON, YAML, a file, or - for standard input'),
    {},
  )
    .option('--for <duration>', 'how long it lasts, as in 30s (default: as it says itself)')
    .action(async (name: string, source: string | undefined, flags: ClientFlags & { for?: string }) =>
      (await import('./client/incidents.js')).start(await connect(flags), name, source, flags),
    );
  command('stop [name]', 'end one, or all', {}, incident).action(
    async (name: string | undefined, flags: ClientFlags) =>
      (await import('./client/incidents.js')).stop(await connect(flags), name, flags),
  );

  const connections = group('connections', 'list and close the open connections of a protocol');
  addClientFlags(
    connections.command('list <protocol>', { isDefault: true }).description('list them'),
    {},
  ).action(async (kind: string, flags: ClientFlags) =>
    (await import('./client/connections.js')).list(await connect(flags), kind, flags),
  );
  command('close <protocol>', 'close those that fit, or all', {}, connections)
    .option('--id <id>', 'only this one')
    .option('--remote <address>', 'only those of this address, with or without its port')
    .option('--user <user>', 'only those on which this user has logged in')
    .option('--client <client>', 'only those of the client that calls itself so')
    .option('--how <how>', 'end, reset (TCP RST) or goodbye (the last words of the protocol); default: end')
    .action(async (kind: string, flags: ClientFlags & CloseFlags) =>
      (await import('./client/connections.js')).close(await connect(flags), kind, flags),
    );

  const state = group('state', 'get, set and delete the values that mocks look at');
  command('get [key]', 'print one value, or all', {}, state).action(
    async (key: string | undefined, flags: ClientFlags) =>
      (await import('./client/state.js')).get(await connect(flags), key, flags),
  );
  command('set <key> <value>', 'set a value', {}, state)
    .option('--ttl <duration>', 'forget it after this long, as in 30s')
    .action(async (key: string, value: string, flags: ClientFlags & { ttl?: string }) =>
      (await import('./client/state.js')).set(await connect(flags), key, value, flags),
    );
  command('delete [key]', 'delete one value', {}, state)
    .option('--prefix <prefix>', 'delete every key that begins so')
    .action(async (key: string | undefined, flags: ClientFlags & { prefix?: string }) =>
      (await import('./client/state.js')).remove(await connect(flags), key, flags),
    );

  const snapshot = group('snapshot', 'create, list, restore and delete snapshots of everything');
  command('create [name]', 'take one', {}, snapshot).action(
    async (name: string | undefined, flags: ClientFlags) =>
      (await import('./client/snapshots.js')).create(await connect(flags), name, flags),
  );
  command('list', 'list them', {}, snapshot).action(async (flags: ClientFlags) =>
    (await import('./client/snapshots.js')).list(await connect(flags), flags),
  );
  command('restore <id>', 'go back to one, by its id or name', {}, snapshot).action(
    async (id: string, flags: ClientFlags) =>
      (await import('./client/snapshots.js')).restore(await connect(flags), id, flags),
  );
  command('delete <id>', 'delete one, by its id or name', {}, snapshot).action(
    async (id: string, flags: ClientFlags) =>
      (await import('./client/snapshots.js')).remove(await connect(flags), id, flags),
  );
  addSpaceCommands(group('spaces', 'list, create and end spaces: worlds of their own in a running server'));
}

function addSpaceCommands(spaces: Command): void {
  const command = (nameAndArguments: string, description: string, isDefault = false): Command =>
    addClientFlags(spaces.command(nameAndArguments, { isDefault }).description(description), {
      space: false,
    });
  command('list', 'list them', true).action(async (flags: ClientFlags) =>
    (await import('./client/spaces.js')).list(await connect(flags), flags),
  );
  command('create [id]', 'make one, with what the configuration of the server says')
    .option(
      '--protocols <protocols>',
      'listen at once for these, as in http,dns; others when first used',
      readList,
    )
    .option('--ttl <duration>', 'how long it lives without being used, as in 10m')
    .option('--seed <number>', 'the seed of its chance (default: that of the server)', readInteger)
    .action(async (id: string | undefined, flags: CreateFlags) =>
      (await import('./client/spaces.js')).create(await connect(flags), id, flags),
    );
  command('show <id>', 'say where one listens').action(async (id: string, flags: ClientFlags) =>
    (await import('./client/spaces.js')).show(await connect(flags), id, flags),
  );
  addClientFlags(spaces.command('end <id>').description('end one, and close its connections'), {
    space: false,
  }).action(async (id: string, flags: ClientFlags) =>
    (await import('./client/spaces.js')).end(await connect(flags), id, flags),
  );
}

type Condition = readonly [field: string, pattern: string];

/** Reads `field=pattern`, one of several. */
function readCondition(text: string, before: readonly Condition[] | undefined): readonly Condition[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be field=pattern, as in path=/orders*.');
  return [...(before ?? []), [text.slice(0, at), text.slice(at + 1)]];
}
