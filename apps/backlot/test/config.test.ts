import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfig, findConfigWarnings } from '../src/config/check.js';
import { findHints } from '../src/config/hints.js';
import { openConfig } from '../src/config/open-parts.js';
import { ConfigError } from '../src/config/problem.js';
import type { FileSettings } from '../src/config/settings.js';
import { web } from './web-protocol.js';

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'backlot-config-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(text: string, environment: Record<string, string> = {}, file = 'backlot.yaml'): FileSettings {
  writeFileSync(join(folder, file), text);
  return checkConfig(openConfig(file, folder, environment), [web]);
}

function linesOf(text: string, environment: Record<string, string> = {}, file = 'backlot.yaml'): string[] {
  try {
    load(text, environment, file);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

function mocksOf(settings: FileSettings): Record<string, never>[] {
  return settings.protocols?.['web']?.['mocks'] as Record<string, never>[];
}

describe('a large file', () => {
  const keys = (count: number, value: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => `  key-${index}: ${value(index)}\n`).join('');

  it('is read without the places of its values when nothing is wrong with it', () => {
    writeFileSync(join(folder, 'large.yaml'), `state:\n${keys(200_000, (index) => `value ${index}`)}`);
    const opened = openConfig('large.yaml', folder, {});
    expect(opened.source.plain).toBeDefined();
    expect(Object.keys(checkConfig(opened, [web]).state ?? {})).toHaveLength(200_000);
    writeFileSync(
      join(folder, 'large.json'),
      JSON.stringify({ state: { a: 'b' }, protocols: { web: { port: 0 } } }),
    );
    expect(openConfig('large.json', folder, {}).source.plain).toBeDefined();
  });

  it('still has places for its problems', () => {
    expect(linesOf(`state:\n${keys(1000, (index) => (index === 700 ? '[1]' : 'x'))}`)).toEqual([
      expect.stringMatching(/^backlot\.yaml:702:3: state\.key-700: must be a string/),
    ]);
    expect(linesOf(`state:\n${keys(1000, () => 'x')}  key-5: y\n`)).toEqual([
      'backlot.yaml:1002:3: Map keys must be unique',
    ]);
    expect(linesOf('{"state": {"a": "x",\n "a": "y"}}', {}, 'backlot.json')).toEqual([
      'backlot.json:2:2: Map keys must be unique',
    ]);
  });

  it('is looked through for its problems alone, and not parsed again', () => {
    const mocks = Array.from(
      { length: 20_000 },
      (_, index) => `      - id: m${index}\n        request: {pth: /${index}}\n`,
    ).join('');
    writeFileSync(join(folder, 'wrong.yaml'), `protocols:\n  web:\n    mocks:\n${mocks}`);
    const opened = openConfig('wrong.yaml', folder, {});
    const document = jest.spyOn(opened.source, 'document', 'get');
    expect(() => checkConfig(opened, [web])).toThrow(ConfigError);
    expect(document).not.toHaveBeenCalled();
    // The four around the mocks, and a hundred mocks with their requests.
    expect(opened.source.places?.scanned).toBeLessThan(210);
  });

  it('names a hundred problems of many, and says so', () => {
    const mocks = Array.from({ length: 200_000 }, () => '      - {a: b}\n').join('');
    const lines = linesOf(`protocols:\n  web:\n    mocks:\n${mocks}`);
    expect(lines.length).toBeLessThan(202);
    expect(lines[0]).toMatch(
      /^backlot\.yaml:3:5: protocols\.web\.mocks: only the first \d+ of 200000 were checked, which have \d+ problems$/,
    );
    const state = linesOf(`state:\n${keys(1000, () => '5')}`);
    expect(state).toHaveLength(101);
    expect(state[0]).toBe('backlot.yaml:1:1: state: 900 more problems are not named');
    const kinds = linesOf(`protocols:\n${keys(1000, () => '{}')}`);
    expect(kinds).toHaveLength(101);
    expect(kinds[0]).toBe('backlot.yaml:1:1: protocols: 900 more problems are not named');
  });

  it('may name a missing value any number of times', () => {
    const [line = ''] = linesOf(`state:\n${keys(150_000, () => '"${NOWHERE}"')}`);
    expect(line).toMatch(
      /^backlot\.yaml:2:10: no value for \$\{NOWHERE\} \(lines 2, 3, .* and 149980 more\)/,
    );
    expect(line.length).toBeLessThan(500);
  }, 60_000);

  it('has numbers where texts are wanted as they were written', () => {
    const headersOf = (text: string, file: string): unknown =>
      (mocksOf(load(text, {}, file))[0]?.['response'] as unknown as { headers: unknown }).headers;
    const mock = '  - request: {path: /a}\n        response:\n          headers: {a: 5, b: 1.10, c: true}\n';
    expect(headersOf(`protocols:\n  web:\n    mocks:\n    ${mock}`, 'backlot.yaml')).toEqual({
      a: '5',
      b: '1.10',
      c: 'true',
    });
    const response = '{"headers": {"a": 5, "b": 0.0000001, "c": true}}';
    const json = `{"protocols": {"web": {"mocks": [{"request": {"path": "/a"}, "response": ${response}}]}}}`;
    expect(headersOf(json, 'backlot.json')).toEqual({ a: '5', b: '0.0000001', c: 'true' });
  });
});

describe('the state of a file', () => {
  it('holds texts alone, as that of the management port does', () => {
    expect(linesOf('state:\n  a: 5\n  b: true\n  c: "5"\n  d: x\n')).toEqual([
      'backlot.yaml:2:3: state.a: must be a string, got 5; write it in quotes',
      'backlot.yaml:3:3: state.b: must be a string, got true; write it in quotes',
    ]);
    expect(linesOf('{"state": {"a": 5}}', {}, 'backlot.json')).toEqual([
      'backlot.json:1:12: state.a: must be a string, got 5; write it in quotes',
    ]);
  });

  it('takes what stands for a name as a text, whatever it looks like', () => {
    const text = 'state:\n  a: ${N}\n  b: ${T}\n  c: x${N}\n';
    expect(load(text, { N: '5', T: 'true' }).state).toEqual({ a: '5', b: 'true', c: 'x5' });
  });
});

describe('problems of a file', () => {
  it('are all reported at once, each with line, column and path', () => {
    const lines = linesOf(
      [
        'protocols:',
        '  web:',
        '    port: 99999',
        '    mocks:',
        '      - id: a',
        '        request:',
        '          path: /a',
        '        response:',
        '          stauts: 200',
        '      - id: b',
        '        request: {path: /b}',
        '        response:',
        '          status: fine',
        'sede: 3',
      ].join('\n'),
    );
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^backlot\.yaml:3:5: protocols\.web\.port: must be <= 65535/);
    expect(lines[1]).toMatch(
      /^backlot\.yaml:9:11: protocols\.web\.mocks\[0\]\.response\.stauts: unknown .*did you mean "status"\?/,
    );
    expect(lines[2]).toMatch(
      /^backlot\.yaml:13:11: protocols\.web\.mocks\[1\]\.response\.status: must be an integer, got "fine"/,
    );
    expect(lines[3]).toMatch(/^backlot\.yaml:14:1: sede: unknown .*did you mean "seed"\?/);
  });

  it('name an unknown protocol and the one that was meant', () => {
    expect(linesOf('protocols:\n  wbe: {}\n')).toEqual([
      expect.stringMatching(
        /^backlot\.yaml:2:3: protocols\.wbe: unknown protocol "wbe"; did you mean "web"\?$/,
      ),
    ]);
  });

  it('of its syntax have a place', () => {
    const [line] = linesOf('protocols:\n  web: [1, 2\nseed: 1\n');
    expect(line).toMatch(/^backlot\.yaml:\d+:\d+: /);
  });

  it('include a key that is there twice', () => {
    expect(linesOf('seed: 1\nseed: 2\n')[0]).toMatch(/^backlot\.yaml:2:1: .*unique/);
  });

  it('are found in JSON too', () => {
    const lines = linesOf('{\n\t"seed": "x"\n}', {}, 'backlot.json');
    expect(lines).toEqual([expect.stringMatching(/^backlot\.json:2:2: seed: must be an integer/)]);
  });

  it('include aliases that expand without end, and nesting without end', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level += 1) {
      const [from, to] = [String.fromCharCode(96 + level), String.fromCharCode(97 + level)];
      bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(',')}]`);
    }
    expect(linesOf(bomb.join('\n'))[0]).toMatch(/aliases/);
    expect(linesOf(`vars: {a: ${'['.repeat(20_000)}${']'.repeat(20_000)}}`)[0]).toMatch(/nested too deeply/);
    expect(linesOf(`vars: {a: ${'['.repeat(200)}${']'.repeat(200)}}`)[0]).toMatch(/nested too deeply/);
  });

  it('include a file that is not there', () => {
    expect(() => openConfig('missing.yaml', folder, {})).toThrow(/^missing\.yaml: there is no such file/);
  });

  it('treat __proto__ as a key like others', () => {
    expect(linesOf('__proto__: {polluted: yes}\n')[0]).toMatch(/^backlot\.yaml:1:1: __proto__: unknown/);
    expect(linesOf('state: {__proto__: "x"}\n')).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('warnings of a file', () => {
  it('name the patches of scenarios whose mock is not there', async () => {
    const text = `protocols:
  web:
    mocks:
      - id: hello
        request: {path: /hello}
scenarios:
  - id: outage
    patches:
      - {mock_id: hello, disabled: true}
      - mock_id: helo
        status: 503
      - {mock_id: unlike, protocol: web, disabled: true}
`;
    writeFileSync(join(folder, 'backlot.yaml'), text);
    const opened = openConfig('backlot.yaml', folder, {});
    const settings = checkConfig(opened, [web]);
    const what = 'the patch changes nothing until there is one';
    expect(await findConfigWarnings(opened, settings, [web])).toEqual([
      {
        file: 'backlot.yaml',
        place: { line: 10, column: 9 },
        path: 'scenarios[0].patches[1].mock_id',
        message: `there is no mock "helo"; ${what}; did you mean "hello"?`,
      },
      {
        file: 'backlot.yaml',
        place: { line: 12, column: 10 },
        path: 'scenarios[0].patches[2].mock_id',
        message: `there is no mock "unlike" of web; ${what}`,
      },
    ]);
  });
});

describe('tls', () => {
  it('has hosts that a certificate can be for, and a folder from where the file is', () => {
    expect(load('tls: {hosts: [mock.test, "*.shop.test", 10.0.0.7], keep: certificates}').tls).toEqual({
      hosts: ['mock.test', '*.shop.test', '10.0.0.7'],
      keep: join(folder, 'certificates'),
    });
    expect(linesOf('tls: {hosts: [mock.test, "https://shop.test"]}')).toEqual([
      'backlot.yaml:1:26: tls.hosts[1]: "https://shop.test" is no host name and no address; write one such as mock.test, *.mock.test or 10.0.0.7',
    ]);
  });
});

describe('names', () => {
  it('come from the environment, then from vars, then from the default', () => {
    const settings = load(
      'vars: {A: from vars, B: from vars, HOME_URL: "http://${A}"}\nstate: {a: "${A}", b: "${B}", c: "${C:-third}", d: "${EMPTY:-full}", e: "$${A} ${HOME_URL}"}\n',
      { A: 'from environment', EMPTY: '' },
    );
    expect(settings.state).toEqual({
      a: 'from environment',
      b: 'from vars',
      c: 'third',
      d: 'full',
      e: '${A} http://from environment',
    });
  });

  it('are numbers and truth values where these are wanted, in quotes too', () => {
    const settings = load(
      'protocols: {web: {port: "${PORT}", enabled: "${ON}", mocks: [{request: {path: "/${PORT}"}, response: {status: "4${CODE}"}}]}}\nseed: "${SEED:-7}"\nstate: {on: "${ON}"}\n',
      { PORT: '8123', ON: 'true', CODE: '04' },
    );
    expect(settings).toMatchObject({
      protocols: { web: { port: 8123, enabled: true } },
      seed: 7,
      state: { on: 'true' },
    });
    expect(mocksOf(settings)).toEqual([{ request: { path: '/8123' }, response: { status: 404 } }]);
    expect(
      linesOf('protocols: {web: {port: "${PORT}"}}\nseed: ${SEED}\n', { PORT: 'eighty', SEED: '0x7' }),
    ).toEqual([
      'backlot.yaml:1:19: protocols.web.port: must be an integer, got "eighty" (written as "${PORT}")',
      'backlot.yaml:2:1: seed: must be an integer, got "0x7" (written as "${SEED}")',
    ]);
    expect(linesOf('protocols: {web: {port: "${PORT}"}}', { PORT: '99999' })[0]).toMatch(
      /port: must be <= 65535, got 99999 \(written as "\$\{PORT\}"\)$/,
    );
    // A text that stands there is what somebody wrote, and no number.
    expect(linesOf('protocols: {web: {port: "8080"}}')[0]).toMatch(/must be an integer, got "8080"$/);
  });

  it('take their type where the value is nothing else', () => {
    const settings = load('protocols:\n  web:\n    port: ${PORT}\n    enabled: ${ON:-false}\n', {
      PORT: '8123',
    });
    expect(settings.protocols?.['web']).toMatchObject({ port: 8123, enabled: false });
    expect(load('{"seed": "${SEED}"}', { SEED: '7' }, 'backlot.json').seed).toBe(7);
  });

  it('are texts where a text is wanted', () => {
    expect(load('state:\n  a: ${N}\n  b: x${N}\n', { N: '007' }).state).toEqual({ a: '007', b: 'x007' });
  });

  it('without a value are one problem that lists them all, beside the others', () => {
    const lines = linesOf('seed: ${SEED}\nstate: {a: "${ONE}", b: "${TWO} ${ONE}"}\nsede: 1\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^backlot\.yaml:1:7: no value for \$\{SEED\} \(line 1\), \$\{ONE\} \(line 2\), \$\{TWO\} \(line 2\); set them/,
    );
    expect(lines[1]).toMatch(/^backlot\.yaml:3:1: sede: unknown/);
  });

  it('do not replace what is no name', () => {
    expect(load('state: {a: "${a.b} $A ${}"}\n').state).toEqual({ a: '${a.b} $A ${}' });
  });
});

describe('bodies from files', () => {
  const mock = (body: string, path = '/files/*'): string =>
    `protocols:\n  web:\n    mocks:\n      - id: m\n        request: {path: "${path}"}\n        response: {body: ${body}}\n      - request: {path: /last}\n        response: {stauts: 1}\n`.replace(
      '{stauts: 1}',
      '{status: 201}',
    );

  beforeAll(() => {
    mkdirSync(join(folder, 'bodies', 'deep'), { recursive: true });
    writeFileSync(join(folder, 'bodies', 'list.json'), '[1]');
    writeFileSync(join(folder, 'bodies', 'deep', 'index.html'), '<p>');
    writeFileSync(join(folder, 'bodies', '.hidden'), 'x');
    mkdirSync(join(folder, 'binary'));
    writeFileSync(join(folder, 'binary', 'data.bin'), Buffer.from([0xff, 0xfe, 0x00]));
    symlinkSync('/etc/hostname', join(folder, 'bodies', '.link'));
    symlinkSync('/etc', join(folder, 'elsewhere'));
  });

  it('are read below the folder of the file', () => {
    expect(mocksOf(load(mock('{file: bodies/list.json}')))[0]).toMatchObject({ response: { body: '[1]' } });
  });

  it.each([
    ['{file: ../outside.txt}', 'leads out of the folder'],
    ['{file: /etc/hostname}', 'leads out of the folder'],
    ['{file: bodies/.link}', 'is a link out of the folder'],
    ['{dir: elsewhere}', 'is a link out of the folder'],
    ['{file: bodies/missing.json}', 'is not there'],
    ['{file: bodies}', 'is not a file'],
    ['{dir: bodies/list.json}', 'is not a folder'],
    ['{file: binary/data.bin}', 'is not UTF-8 text'],
  ])('%s is refused', (body, message) => {
    expect(linesOf(mock(body))).toEqual([expect.stringContaining(message)]);
  });

  it('are of any content where a field beside takes bytes', () => {
    const responseOf = (file: string): unknown =>
      mocksOf(load(mock('text').replace('{body: text}', `{image: {file: ${file}}}`)))[0]?.['response'];
    expect(responseOf('binary/data.bin')).toEqual({ image_base64: '//4A' });
    expect(responseOf('bodies/list.json')).toEqual({ image: '[1]' });
  });

  it('of a folder become a mock for each file, and problems after them keep their place', () => {
    const settings = load(mock('{dir: bodies}'));
    expect(
      mocksOf(settings).map((one) => [one['id'], (one['request'] as unknown as { path: string }).path]),
    ).toEqual([
      ['m/deep/index.html', '/files/deep/index.html'],
      ['m/deep/index.html (folder)', '/files/deep/'],
      ['m/list.json', '/files/list.json'],
      [undefined, '/last'],
    ]);
    expect(mocksOf(settings)[2]).toMatchObject({
      response: { body: '[1]', headers: { 'content-type': 'application/json' } },
    });
    expect(linesOf(mock('{dir: bodies}').replace('status: 201', 'stauts: 201'))[0]).toMatch(
      /^backlot\.yaml:8:\d+: protocols\.web\.mocks\[1\]\.response\.stauts/,
    );
    expect(linesOf(mock('{dir: bodies}', '/files'))[0]).toMatch(/ends in \/\*/);
  });

  it('leave data alone that only looks like them', () => {
    const settings = load(
      'protocols: {web: {mocks: [{request: {path: /a}, data: {body: {file: x.json}}}]}}\n',
    );
    expect(mocksOf(settings)[0]).toMatchObject({ data: { body: { file: 'x.json' } } });
  });
});

describe('a file for Mockly', () => {
  const preset = `mockly:
  ui: {enabled: true, port: 9090}
  api:
    port: 9191
    cors: {enabled: true, allowed_origins: ["*"], allowed_methods: [GET], allowed_headers: [X-A]}
    tls: {enabled: false}
protocols:
  web:
    enabled: true
    mocks:
      - id: token
        request:
          method: POST
          path: /token
          body: grant_type=password
          headers: {X-Version: 2}
        response:
          status: 200
          headers:
            X-Rate: 10
            X-On: true
          body: 'ok'
        state:
          key: ready
          value: true
      - id: other
        request: {path: /other, body: "*part*"}
        response:
scenarios:
`;

  it('has mocks alone in a kind that keeps data unless it says otherwise', () => {
    const modeOf = (name: string, text: string): unknown => {
      writeFileSync(join(folder, name), text);
      return openConfig(name, folder, {}).root['protocols'];
    };
    const plain = 'protocols: {redis: {port: 1}}\n';
    expect(modeOf('mockly.yaml', plain)).toEqual({ redis: { mode: 'mock', port: 1 } });
    expect(modeOf('other.yaml', `mockly: {}\n${plain}`)).toEqual({ redis: { mode: 'mock', port: 1 } });
    expect(modeOf('other.yaml', plain)).toEqual({ redis: { port: 1 } });
    const stateful = 'protocols: {redis: {mode: stateful}}\n';
    expect(modeOf('mockly.yaml', stateful)).toEqual({ redis: { mode: 'stateful' } });
  });

  it('is read as it is, with one notice', () => {
    writeFileSync(join(folder, 'mockly.yaml'), preset);
    const opened = openConfig('mockly.yaml', folder, {});
    const settings = checkConfig(opened, [web]);
    expect(opened.notices).toEqual([
      expect.objectContaining({ message: expect.stringContaining('mockly.ui') }),
    ]);
    expect(settings.api?.port).toBe(9191);
    expect(mocksOf(settings)[0]).toMatchObject({
      request: { headers: { 'X-Version': '2' } },
      response: { headers: { 'X-Rate': '10', 'X-On': 'true' } },
      state: { key: 'ready', value: 'true' },
    });
  });

  it('gets a hint where a pattern means something else here', () => {
    writeFileSync(join(folder, 'mockly.yaml'), preset);
    const hints = findHints(openConfig('mockly.yaml', folder, {}));
    expect(hints.map(({ path }) => path)).toEqual([
      'protocols.web.mocks[0].request.body',
      'protocols.web.mocks[0].request.headers.X-Version',
    ]);
    expect(hints[0]).toMatchObject({
      place: { line: 15, column: 11 },
      path: 'protocols.web.mocks[0].request.body',
    });
    expect(hints[0]?.message).toContain('"*grant_type=password*"');
  });

  it('has its problems where they stand', () => {
    expect(linesOf(preset.replace('port: 9191', 'prot: 9191'))).toEqual([
      expect.stringMatching(/^backlot\.yaml:4:5: mockly\.api\.prot: unknown .*"port"/),
    ]);
    expect(linesOf('mockly: {apy: {}}\n')[0]).toMatch(/^backlot\.yaml:1:10: mockly\.apy: unknown .*"api"/);
    expect(linesOf('mockly: {api: {port: 1}}\napi: {port: 2}\n')[0]).toMatch(/mockly\.api: .*keep one/);
  });
});
