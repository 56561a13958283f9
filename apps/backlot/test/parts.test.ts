import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkConfig } from '../src/config/check.js';
import { openParts } from '../src/config/open-parts.js';
import { ConfigError } from '../src/config/problem.js';
import type { FileSettings } from '../src/config/settings.js';
import { setValues, settingsOfEnvironment } from '../src/config/set-values.js';
import { makeFolder } from './command.js';
import { web } from './web-protocol.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
}

function load(
  names: readonly string[],
  sets: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): FileSettings {
  const { opened } = openParts(names, folder.path, environment);
  const given = [...settingsOfEnvironment(environment), ...sets.map((text) => ({ by: '--set', text }))];
  return checkConfig(setValues(opened, given), [web]);
}

function linesOf(...args: Parameters<typeof load>): string[] {
  try {
    load(...args);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

function idsOf(settings: FileSettings): unknown[] {
  const mocks = settings.protocols?.['web']?.['mocks'] as { readonly id: unknown }[];
  return mocks.map(({ id }) => id);
}

describe('files that are parts of one configuration', () => {
  it('are merged: mappings key by key, lists one behind the other', () => {
    write({
      'a.yaml':
        'protocols:\n  web:\n    port: 1\n    mocks: [{id: one, request: {path: /1}}]\nstate: {a: x}\nseed: 7\n',
      'b.yaml':
        'protocols:\n  web:\n    port: 1\n    mocks:\n      - {id: two, request: {path: /2}}\nstate: {b: y}\nscenarios: [{id: s}]\n',
      'c.json':
        '{"protocols": {"web": {"mocks": [{"id": "three", "request": {"path": "/3"}}]}}, "scenarios": [{"id": "t"}]}',
    });
    const settings = load(['a.yaml', 'b.yaml', 'c.json']);
    expect(idsOf(settings)).toEqual(['one', 'two', 'three']);
    expect(settings).toMatchObject({
      seed: 7,
      state: { a: 'x', b: 'y' },
      scenarios: [{ id: 's' }, { id: 't' }],
      protocols: { web: { port: 1 } },
    });
  });

  it('say where an id stands twice, and where settings differ', () => {
    write({
      'a.yaml': 'protocols:\n  web:\n    port: 1\n    mocks:\n      - id: one\n        request: {path: /1}\n',
      'b.yaml':
        'protocols:\n  web:\n    mocks:\n      - id: two\n        request: {path: /2}\n      - id: one\n        request: {path: /3}\n    port: 2\n',
    });
    expect(linesOf(['a.yaml', 'b.yaml'])).toEqual([
      'b.yaml:6:9: protocols.web.mocks[1]: the id "one" is given here and in a.yaml:5:9; give each its own',
      'b.yaml:8:5: protocols.web.port: is 2 here and 1 in a.yaml:3:5; say it in one of them, or over all of them by --set',
    ]);
    write({ 'c.yaml': 'protocols: {web: {mocks: {id: x}}}\n' });
    expect(linesOf(['a.yaml', 'c.yaml'])).toEqual([
      expect.stringMatching(
        /^c\.yaml:1:19: protocols\.web\.mocks: is a mapping here and a list in a\.yaml:4:5/,
      ),
    ]);
  });

  it('have the places of their own problems, and the folders of their own files', () => {
    write({
      'a.yaml': 'protocols: {web: {mocks: [{id: a, request: {path: /a}}]}}\n',
      'inner/b.yaml':
        'protocols:\n  web:\n    mocks:\n      - {id: b, request: {path: /b}, response: {body: {file: text.txt}}}\n',
      'inner/text.txt': 'from inner',
      'inner/c.yaml': 'protocols:\n  web:\n    mocks:\n      - {id: c, requst: {path: /c}}\n',
    });
    const settings = load(['a.yaml', 'inner/b.yaml']);
    expect(settings.protocols?.['web']?.['mocks']).toEqual([
      expect.objectContaining({ id: 'a' }),
      expect.objectContaining({ response: { body: 'from inner' } }),
    ]);
    expect(linesOf(['a.yaml', 'inner'])).toEqual([
      expect.stringMatching(/^inner\/c\.yaml:4:9: .* is required/),
      expect.stringMatching(/^inner\/c\.yaml:4:17: protocols\.web\.mocks\[0\]\.requst: unknown field/),
    ]);
  });

  it('come from folders, in the order of their names, without hidden ones and inner folders', () => {
    write({
      'parts/b.yaml': 'state: {b: x}\n',
      'parts/a.yml': 'state: {a: x}\n',
      'parts/c.json': '{"state": {"c": "x"}}',
      'parts/.hidden.yaml': 'no: thing\n',
      'parts/read.me': 'no: thing\n',
      'parts/inner/d.yaml': 'no: thing\n',
      'empty/read.me': '',
    });
    expect(Object.keys(load(['parts']).state ?? {})).toEqual(['a', 'b', 'c']);
    expect(linesOf(['empty'])).toEqual(['empty: there is no .yaml, .yml or .json file in the folder empty']);
    // As Kubernetes mounts a ConfigMap.
    mkdirSync(join(folder.path, 'mounted/..2030'), { recursive: true });
    write({ 'mounted/..2030/x.yaml': 'state: {m: x}\n' });
    symlinkSync('..2030', join(folder.path, 'mounted/..data'));
    symlinkSync('..data/x.yaml', join(folder.path, 'mounted/x.yaml'));
    expect(load(['mounted']).state).toEqual({ m: 'x' });
  });

  it('are included by patterns, each once, circles included', () => {
    write({
      'backlot.yaml': 'include: [mocks/**/*.yaml, ./more/one.yaml, none/*.yaml]\nstate: {top: x}\n',
      'mocks/a.yaml': 'state: {a: x}\ninclude: [../backlot.yaml, deep/b.yaml]\n',
      'mocks/deep/b.yaml': 'state: {b: x}\n',
      'mocks/.git/c.yaml': 'no: thing\n',
      'mocks/c.txt': 'no: thing\n',
      'more/one.yaml': 'state: {one: x}\n',
      'none/.keep': '',
    });
    const { files, folders } = openParts(['backlot.yaml'], folder.path, {});
    expect(files.map((file) => file.slice(folder.path.length + 1))).toEqual([
      'backlot.yaml',
      'mocks/a.yaml',
      'mocks/deep/b.yaml',
      'more/one.yaml',
    ]);
    expect(folders.map((name) => name.slice(folder.path.length + 1)).sort()).toEqual([
      'mocks',
      'mocks/deep',
      'none',
    ]);
    expect(Object.keys(load(['backlot.yaml']).state ?? {})).toEqual(['top', 'a', 'b', 'one']);
  });

  it('say what an include does not find', () => {
    write({ 'backlot.yaml': 'include:\n  - no.yaml\n  - nowhere/*.yaml\n  - "{a,b}.yaml"\n  - 5\n' });
    expect(linesOf(['backlot.yaml'])).toEqual([
      'backlot.yaml:2:5: include[0]: there is no file "no.yaml"',
      'backlot.yaml:3:5: include[1]: there is no folder "nowhere", where "nowhere/*.yaml" looks',
      'backlot.yaml:4:5: include[2]: "{a,b}.yaml" has "{", which is no sign of patterns; there are *, ? and **',
    ]);
    write({ 'backlot.yaml': 'include: x.yaml\n' });
    expect(linesOf(['backlot.yaml'])).toEqual([
      expect.stringMatching(/^backlot\.yaml:1:1: include: must be an array/),
    ]);
  });

  it('use the variables of those before them, and keep keys with x- for themselves', () => {
    write({
      'a.yaml':
        'vars: {name: shop}\nx-path: &path {path: /x}\nprotocols:\n  web:\n    mocks: [{id: m, request: *path}]\n',
      'b.yaml': 'x-path: 5\nstate: {of: "${name}", by: "${WHO}"}\n',
    });
    expect(load(['a.yaml', 'b.yaml'], [], { WHO: 'me' })).toMatchObject({
      state: { of: 'shop', by: 'me' },
      protocols: { web: { mocks: [{ request: { path: '/x' } }] } },
    });
    expect(linesOf(['b.yaml'])).toEqual([expect.stringMatching(/^b\.yaml:2:13: no value for \$\{name\}/)]);
  });
});

describe('settings over files', () => {
  const FILE =
    'protocols:\n  web:\n    port: 1\n    mocks: [{id: a, request: {path: /a}, response: {status: 200}}, {id: b, request: {path: /b}}]\nstate: {mode: day, "a.b": x}\n';

  it('take the type that is wanted, and reach elements by index and by id', () => {
    write({ 'a.yaml': FILE });
    const settings = load(
      ['a.yaml'],
      [
        'protocols.web.port=0',
        'protocols.web.mocks.a.response.status=503',
        'protocols.web.mocks[1].request={path: /other}',
        'protocols.web.mocks[2]={id: c, request: {path: /c}}',
        'state.mode=5',
        'state["a.b"]=on = off',
        'seed=3',
      ],
    );
    expect(settings).toMatchObject({
      seed: 3,
      state: { mode: '5', 'a.b': 'on = off' },
      protocols: {
        web: {
          port: 0,
          mocks: [{ response: { status: 503 } }, { request: { path: '/other' } }, { id: 'c' }],
        },
      },
    });
  });

  it('of the environment come before those of flags, and null takes away', () => {
    write({ 'a.yaml': FILE });
    const environment = { BACKLOT_SET: 'seed=1', BACKLOT_SET_MODE: 'state.mode=night', BACKLOT_SETTING: 'x' };
    expect(load(['a.yaml'], ['seed=2', 'protocols.web.mocks.a=null'], environment)).toMatchObject({
      seed: 2,
      state: { mode: 'night' },
      protocols: { web: { mocks: [{ id: 'b' }] } },
    });
    expect(load(['a.yaml'], ['state=null']).state).toBeUndefined();
  });

  it('name themselves in what is wrong with them', () => {
    write({ 'a.yaml': FILE });
    const sets = [
      'protocols.web.port=many',
      'seed',
      '.x=1',
      'protocols.web.mocks.z.id=1',
      'seed.x.y=1',
      'state.x={',
    ];
    expect(linesOf(['a.yaml'], sets, { BACKLOT_SET_A: 'protocols.wob.port=1' })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^--set: protocols\.web\.port: must be an integer, got "many"/),
        expect.stringMatching(/^--set: "seed" is no setting; write path=value/),
        expect.stringMatching(/^--set: "\.x=1" is no setting/),
        expect.stringMatching(
          /^--set: protocols\.web\.mocks\.z\.id: there is no element "z" in this list of 2/,
        ),
        expect.stringMatching(/^--set: the value of state\.x is no YAML/),
        expect.stringMatching(/^BACKLOT_SET_A: protocols\.wob\.port: unknown protocol "wob"/),
      ]),
    );
  });
});
