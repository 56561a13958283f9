import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command, Option } from 'commander';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram } from '../src/cli/program.js';
import { readFlagVariables, variableOf } from '../src/cli/flag-variables.js';
import { makeFolder, runCommand, startCommand } from './command.js';

/** Flags whose variables are read where they are used, and tested there. */
const ELSEWHERE = ['--config', '--set', '--token'];

/** Values that flags take whose texts are read as something else. */
const VALUES: Readonly<Record<string, string>> = {
  '--log': 'text',
  '--cluster-data': 'replica',
  '--env': 'KAFKA=MY_KAFKA',
  '--where': 'path=/orders*',
  '--upstream': 'spy',
};

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function flagsOf(): { readonly name: string; readonly command: () => Command; readonly option: Option }[] {
  return commandsOf(createProgram([])).flatMap((command, index) =>
    command.options
      .filter(({ long }) => long !== '--version' && !ELSEWHERE.includes(long ?? ''))
      .map((option) => ({
        name: `${command.name()} ${option.long ?? ''}`,
        // What is set stays set: each gets a program of its own.
        command: () => commandsOf(createProgram([]))[index] as Command,
        option,
      })),
  );
}

describe('variables of flags', () => {
  it('are there for every flag of every command', () => {
    const flags = flagsOf();
    expect(flags.length).toBeGreaterThan(150);
    const program = createProgram([]);
    const given = flags.map(({ name, option }, index) => {
      const command = flags[index]?.command() ?? program;
      const isSwitch = !option.required && !option.optional;
      const text = isSwitch ? '1' : (VALUES[option.long ?? ''] ?? '7');
      readFlagVariables(command, { [variableOf(command, option)]: text });
      return { name, source: command.getOptionValueSource(option.attributeName()) };
    });
    expect(given.filter(({ source }) => source !== 'env')).toEqual([]);
  });

  it('are called as the flag, and as its command where it has it alone', () => {
    const names = new Map(
      flagsOf().map(({ name, command, option }) => [name, variableOf(command(), option)] as const),
    );
    expect(
      Object.fromEntries(
        [...names].filter(([name]) =>
          /^(start --(http-port|no-ui)|logs --limit|close --how|status --(ca|url|json))$/.test(name),
        ),
      ),
    ).toEqual({
      'start --http-port': 'BACKLOT_HTTP_PORT',
      'start --no-ui': 'BACKLOT_NO_UI',
      'logs --limit': 'BACKLOT_LOGS_LIMIT',
      'close --how': 'BACKLOT_CONNECTIONS_CLOSE_HOW',
      'status --ca': 'BACKLOT_API_CA',
      'status --url': 'BACKLOT_URL',
      'status --json': 'BACKLOT_JSON',
    });
  });

  it('mean one thing each', () => {
    const meanings = new Map<string, Set<string>>();
    for (const { command, option } of flagsOf()) {
      const name = variableOf(command(), option);
      meanings.set(name, (meanings.get(name) ?? new Set()).add(option.long ?? ''));
    }
    expect([...meanings].filter(([, flags]) => flags.size > 1)).toEqual([]);
  });

  it('come after flags, and one that is empty is none', () => {
    const start = commandsOf(createProgram([])).find((command) => command.name() === 'start') as Command;
    start.setOptionValueWithSource('seed', 3, 'cli');
    readFlagVariables(start, {
      BACKLOT_SEED: '4',
      BACKLOT_HOST: '',
      BACKLOT_NO_UI: '0',
      BACKLOT_PLUGIN: 'a,b',
    });
    expect(start.opts()).toMatchObject({ seed: 3, ui: true, plugin: ['a', 'b'] });
    expect(start.opts()).not.toHaveProperty('host');
  });
});

describe('the command', () => {
  let folder: ReturnType<typeof makeFolder>;
  beforeAll(() => {
    folder = makeFolder();
  });
  afterAll(() => folder.remove());

  it('starts by variables alone, with a token in a file', async () => {
    const file = join(folder.path, 'token');
    writeFileSync(file, 's3cret\n');
    const env = {
      BACKLOT_ONLY: 'http',
      BACKLOT_HTTP_PORT: '0',
      BACKLOT_API_PORT: '0',
      BACKLOT_QUIET: 'true',
      BACKLOT_API_TOKEN_FILE: file,
    };
    const server = await startCommand([], { cwd: folder.path, env });
    try {
      expect(server.output().trim()).toBe(server.readyLine);
      expect(Object.keys(server.urls)).toEqual(['http', 'api']);
      const url = server.urls['api'] ?? '';
      expect((await fetch(`${url}/api/logs`)).status).toBe(401);
      expect((await fetch(`${url}/api/logs`, { headers: { authorization: 'Bearer s3cret' } })).status).toBe(
        200,
      );
      const list = await runCommand(['list'], { env: { BACKLOT_URL: url, BACKLOT_API_TOKEN_FILE: file } });
      expect(list).toMatchObject({ code: 0, stdout: 'no mocks\n' });
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['BACKLOT_SEED', 'many', 'BACKLOT_SEED: "many" is not a whole number'],
    ['BACKLOT_QUIET', 'perhaps', 'BACKLOT_QUIET: "perhaps" is neither 1 (true) nor 0 (false)'],
    ['BACKLOT_API_TOKEN_FILE', '/nowhere', '--token-file: cannot read /nowhere: there is no such file'],
  ])('says what is wrong with %s', async (name, value, message) => {
    const { code, stderr } = await runCommand(['start', '--api-port=0', '--only=http', '--http-port=0'], {
      cwd: folder.path,
      env: { [name]: value },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it('takes the token from the file that the configuration names, and health finds it', async () => {
    writeFileSync(join(folder.path, 'token'), 'other');
    writeFileSync(
      join(folder.path, 'backlot.yaml'),
      'api: { port: 0, token_file: token }\nprotocols: { http: { port: 0 } }\n',
    );
    const server = await startCommand([], { cwd: folder.path });
    try {
      const url = server.urls['api'] ?? '';
      expect((await fetch(`${url}/api/logs`, { headers: { authorization: 'Bearer other' } })).status).toBe(
        200,
      );
      expect((await fetch(`${url}/api/logs`)).status).toBe(401);
    } finally {
      await server.stop();
    }
    writeFileSync(join(folder.path, 'backlot.yaml'), 'api: { token: a, token_file: token }\n');
    const both = await runCommand(['start'], { cwd: folder.path });
    expect([both.code, both.stderr]).toEqual([
      1,
      expect.stringContaining('api has token and token_file; give one of them'),
    ]);
  });
});
