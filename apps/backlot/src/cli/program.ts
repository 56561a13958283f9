import { Command, Option, type Argument } from 'commander';
import { readVersion } from '../version.js';
import { addApiCommands } from './api-commands.js';
import { addClientCommands } from './client-commands.js';
import { CommandError } from './command-error.js';
import { readFlagVariables } from './flag-variables.js';
import { namedFiles } from './config-file.js';
import type { TrafficFormat } from './traffic-log.js';
import { note, noteText, printText } from './output.js';
import { addServiceCommands } from './service-commands.js';
import type { OpenFlags } from './open.js';
import type { RunFlags } from './run.js';
import { MODES } from './upstream-modes.js';
import {
  addConfigOptions,
  addPortOptions,
  readFurther,
  readLogFormat,
  readPort,
  readServerFlags,
  readVariable,
  readWorkers,
} from './start-options.js';

/**
 * The command line. What a command does is loaded when it is called, so that none pays for the others.
 *
 * @param args - the arguments after the command's name
 */
export function createProgram(args: readonly string[]): Command {
  const program = new Command('backlot')
    .description('Mock servers for many protocols, with one management API.')
    .version(readVersion(), '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => printText(text.trimEnd()),
      writeErr: (text) => noteText(text.trimEnd()),
      outputError: noteUsageError,
    })
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .configureHelp({
      sortSubcommands: false,
      // Most have options; without the word the descriptions have room.
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
    })
    .addHelpText('after', HELP_END)
    .hook('preAction', (_, command) => readFlagVariables(command, process.env))
    .exitOverride();

  program.commandsGroup('Start servers:');
  const start = program
    .command('start')
    .description('start the mock servers and the management API')
    .argument('[files...]', 'configuration files and folders, the same as -c');
  addConfigOptions(start)
    .option('--print-ca', 'print the certificate that TLS listeners use, for clients to trust')
    .option('--watch', 'read the configuration again when its files have changed, and take what has')
    .option(
      '--log <format>',
      'a line on standard output for each exchange: text, json (and what else is said on standard error), or none (the default)',
      readLogFormat,
    )
    .option('--quiet', 'print nothing but warnings, traffic and the last line');
  addPortOptions(start, args)
    .optionsGroup('Cluster:')
    .option(
      '--workers <number>',
      'serve the same ports by so many processes, or by one for each processor: auto',
      readWorkers,
    )
    .option('--cluster <url>', 'be a replica of a cluster: nats://host:4222 or redis://host:6379')
    .option('--cluster-name <name>', 'its name in the engine (default: backlot)')
    .addOption(
      new Option(
        '--cluster-data <way>',
        'snapshot: when the replica that has the data of brokers and stores ends, the next one begins with the last copy; empty: with the configuration (the default); replica: each replica has such data for itself',
      ).choices(['empty', 'snapshot', 'replica']),
    )
    .option('--replica <name>', 'the name of this replica (default: of the machine and the process)')
    .option(
      '--replica-url <url>',
      'where the other replicas reach its management port (default: the address of this machine towards the engine)',
    )
    .option(
      '--hand-over-port <port>',
      'where it takes connections of brokers and stores from the other replicas (default: a free port)',
      readPort,
    )
    .addHelpText('after', START_EXAMPLES)
    .action(async (files: string[], options: Record<string, unknown>) => {
      const { start: run } = await import('./start.js');
      const flags = readServerFlags(options, args);
      await run({
        ...flags,
        config: namedFiles(files, flags.config),
        printCa: options['printCa'] === true,
        isQuiet: options['quiet'] === true,
        log: (options['log'] as TrafficFormat | undefined) ?? 'none',
        watch: options['watch'] === true,
      });
    });
  addConfigOptions(
    program
      .command('run')
      .description('start the mock servers on free ports, and run a command against them')
      .configureOutput({ outputError: noteRunError }),
  )
    .argument(
      '<command...>',
      'after --; it finds the servers by variables such as REDIS_URL, REDIS_HOST, REDIS_PORT and BACKLOT_URL',
    )
    .option(
      '--proxy',
      'be the proxy for what the command asks other hosts, by HTTPS_PROXY, HTTP_PROXY and the variables for its certificate',
    )
    .option('--fail-on-unmatched', 'end with 1 when a message met no mock')
    .option('--verify <file>', 'end with 1 unless the messages were received that the file expects')
    .option('--junit <file>', 'write what was looked at as a JUnit report')
    .option(
      '--toxiproxy-port <port>',
      "port of Toxiproxy's API, 0 for a free one; the command finds it by TOXIPROXY_URL (default: none)",
      readPort,
    )
    .option(
      '--logs <file>',
      'write the traffic: as HAR when the name ends in .har, else as a line of JSON for each exchange',
    )
    .addOption(
      new Option(
        '--upstream <mode>',
        'the mode of every upstream, in place of those of the configuration',
      ).choices(MODES),
    )
    .option(
      '--export <file>',
      'write the recordings that there are at the end as a configuration file, for its owner alone',
    )
    .option(
      '--record <file>',
      'when something failed, write what ran and the log to a file that "backlot open" opens, for its owner alone',
    )
    .option('--record-always', 'write the file of --record also when nothing failed')
    .option(
      '--coverage [file]',
      'say which operations and answers of contracts were touched; a file takes the whole report as JSON',
    )
    .option('--env <name=own>', 'a further name for a variable, as in KAFKA=MY_BROKERS', readVariable)
    .passThroughOptions()
    .action(runBeside);
  addConfigOptions(
    program
      .command('verify-upstream')
      .description('run a command against the mocks, and say where the real servers answer otherwise'),
  )
    .argument('<command...>', 'after --; it finds the servers as with run')
    .option(
      '--proxy',
      'be the proxy for what the command asks other hosts, by HTTPS_PROXY, HTTP_PROXY and the variables for its certificate',
    )
    .option('--junit <file>', 'write what was looked at as a JUnit report')
    .option('--env <name=own>', 'a further name for a variable, as in KAFKA=MY_BROKERS', readVariable)
    .passThroughOptions()
    .action((command: string[], options: Record<string, unknown>) =>
      runBeside(command, { ...options, upstream: 'diff' }),
    );

  program
    .command('open')
    .description(
      'start a server with what a file of save or run --record has, on free ports, and print the url of its page',
    )
    .argument('<file>', 'the file')
    .option('--api-port <port>', 'port of its page and management API (default: a free one)', readPort)
    .option('--plugin <package>', 'a further protocol', readFurther)
    .action(async (file: string, options: OpenFlags) => {
      const { open } = await import('./open.js');
      await open(file, options);
    });

  program.commandsGroup('Work on a configuration file:');
  program
    .command('init')
    .description('write a configuration file to start from, and its schema')
    .argument('[file]', 'the file to write', 'backlot.yaml')
    .option('--force', 'replace files that are there')
    .option('--plugin <package>', 'a further protocol', readFurther)
    .action(async (file: string, options: { force?: boolean; plugin?: string[] }) => {
      const { init } = await import('./init.js');
      await init(file, options.plugin ?? [], options.force === true);
    });
  program
    .command('validate')
    .description('check configuration files without starting anything')
    .argument('[files...]', 'files, each of them a configuration (default: as for start)')
    .option(
      '-c, --config <file>',
      'a part of one configuration, or a folder of them; may be given more than once',
      readFurther,
    )
    .option('--set <path=value>', 'a setting over those of the files, as for start', readFurther)
    .option('--plugin <package>', 'a further protocol', readFurther)
    .action(async (files: string[], options: { config?: string[]; set?: string[]; plugin?: string[] }) => {
      const { validate } = await import('./validate.js');
      await validate(files, options.config ?? [], options);
    });
  for (const [name, description] of DOCUMENTS) {
    program
      .command(name)
      .description(description)
      .option('--plugin <package>', 'a further protocol', readFurther)
      .addOption(new Option('--json', 'print as JSON').hideHelp(name !== 'plugins'))
      .action(async (options: { plugin?: string[]; json?: boolean }) => {
        const documents = await import('./documents.js');
        await documents[name](options.plugin ?? [], options.json === true);
      });
  }

  addServiceCommands(program);

  program.commandsGroup('Add a protocol:');
  program
    .command('new-protocol')
    .description('write a package for a new protocol, which works as it is')
    .argument('<kind>', 'its name: lower-case letters and digits, as in gopher')
    .option('--folder <folder>', 'where to write it (default: a new folder of that name)')
    .action(async (kind: string, options: { folder?: string }) => {
      const { newProtocol } = await import('./new-protocol.js');
      newProtocol(kind, options.folder);
    });

  program.commandsGroup('Talk to a running server:');
  addClientCommands(program);
  addApiCommands(program);
  program.addHelpCommand(
    new Command('help').argument('[command]').description('say more about a command').helpGroup('More:'),
  );
  return program;
}

/** Prints what is wrong with the arguments on one line, and on a second what may have been meant. */
function noteUsageError(text: string): void {
  const [, message = '', meant] = /^([^]*?)(?:\n(\(Did you mean [^\n]*\)))?\s*$/.exec(text) ?? [];
  note(message);
  if (meant !== undefined) note(meant);
}

/** Says of flags of `start` alone why `run` has not got them. */
function noteRunError(text: string): void {
  const [, flag] = /^error: unknown option '(--workers|--cluster)(?:[=-][^']*)?'/.exec(text) ?? [];
  if (flag === undefined) noteUsageError(text);
  else
    note(
      `error: ${flag} is for "backlot start": what "backlot run" starts is one process, whose log it reads when the command has ended. Start the servers with "backlot start ${flag} ..." before the command, and give it their ports`,
    );
}

const DOCUMENTS = [
  ['schema', 'print the JSON Schema of the configuration file'],
  ['plugins', 'list the installed protocols'],
  ['openapi', 'print the OpenAPI document of the management API'],
] as const;

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const START_EXAMPLES = `
Examples:
  backlot start                    what backlot.yaml says; without a file, every
                                   protocol with no mocks
  backlot start --only http,redis  two protocols
  backlot start --http-port 0      HTTP on a free port, which the last line names`;

const HELP_END = `
First steps:
  npx backlot init     writes backlot.yaml, to change to your needs
  npx backlot start    starts what it says, and prints where everything listens
  npx backlot status   says what runs, from another terminal

Environment:
  BACKLOT_CONFIG     the configuration files, separated as in PATH
  BACKLOT_SET        a setting over those of the files, as --set has it; and so
                     has each variable whose name begins with BACKLOT_SET_
  BACKLOT_HOST       where everything listens
  BACKLOT_API_TOKEN  the token of the management API
  BACKLOT_URL        the server to talk to (default: http://127.0.0.1:9091)
  BACKLOT_API_CA     a file with its certificate, when it is not a public one
Every other flag has a variable too: BACKLOT_HTTP_PORT is --http-port of start.`;

/** Parses and carries out a command line. Throws what a command throws. */
export async function runProgram(args: readonly string[]): Promise<void> {
  if (args.length === 0) throw new CommandError(createProgram(args).helpInformation() + HELP_END, 1);
  await createProgram(args).parseAsync([...args], { from: 'user' });
}

/** Runs a command beside the servers. */
async function runBeside(command: string[], options: Readonly<Record<string, unknown>>): Promise<void> {
  const { run } = await import('./run.js');
  const flags = readServerFlags(options, []);
  await run(command, {
    ...flags,
    config: namedFiles([], flags.config),
    failOnUnmatched: options['failOnUnmatched'] === true,
    proxy: options['proxy'] === true,
    verify: options['verify'] as string | undefined,
    junit: options['junit'] as string | undefined,
    logs: options['logs'] as string | undefined,
    upstream: options['upstream'] as RunFlags['upstream'],
    export: options['export'] as string | undefined,
    record: options['record'] as string | undefined,
    recordAlways: options['recordAlways'] === true,
    coverage: options['coverage'] as RunFlags['coverage'],
    env: (options['env'] ?? []) as RunFlags['env'],
  });
}
