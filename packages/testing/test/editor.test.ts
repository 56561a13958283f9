import { describe, expect, it } from '@jest/globals';
import { openEditor } from './editor.js';

const HEAD = [
  `import { http } from '@backlot/http';`,
  `import type { redis } from '@backlot/redis';`,
  `import { startBacklot, type Backlot } from '../src/index.js';`,
  `declare const backlot: Backlot<readonly [typeof http, typeof redis]>;`,
];

/** A line that somebody writes in a test, where the compiler puts its complaint, and what it says. */
const WRONG: readonly (readonly [line: string, at: string, message: RegExp])[] = [
  [
    `backlot.http.mock({ request: { pth: '/a' } });`,
    'pth',
    /'pth' does not exist in type 'HttpRequest'\. Did you mean to write 'path'\?$/,
  ],
  [
    `backlot.http.mock({ request: { path: '/a' }, respnse: {} });`,
    'respnse',
    /'respnse' does not exist in type 'HttpMock'\. Did you mean to write 'response'\?$/,
  ],
  [
    `backlot.http.mock({ request: { path: '/a' }, response: { status: '200' } });`,
    'status',
    /^Type 'string' is not assignable to type 'number'\.$/,
  ],
  [
    `backlot.http.mock({ request: { query: { page: 2 } } });`,
    'page',
    /^Type 'number' is not assignable to type 'PatternSource'\.$/,
  ],
  [
    `backlot.http.mock({ request: { path: '/a' }, times: 'twice' });`,
    'times',
    /^Type 'string' is not assignable to type 'number'\.$/,
  ],
  [
    `backlot.http.mock({ request: { path: '/a' }, sequence_exhausted: 'last' });`,
    'sequence_exhausted',
    /^Type '"last"' is not assignable to type '[a-z_"| ]+'\.$/,
  ],
  [
    `backlot.redis.mock({ command: 'GET', response: { type: 'bulky' } });`,
    'type',
    /^Type '"bulky"' is not assignable to type '[a-z_"| ]+'\. Did you mean '"bulk"'\?$/,
  ],
  [
    `backlot.redis.fault({ eror: 'LOADING' });`,
    'eror',
    /'eror' does not exist in type 'RedisFault'\. Did you mean to write 'error'\?$/,
  ],
  [
    `void startBacklot({ protocols: [http], settings: { http: { mocks: [{ request: { pth: '/' } }] } } });`,
    'pth',
    /'pth' does not exist in type 'HttpRequest'\. Did you mean to write 'path'\?$/,
  ],
];

describe('an editor', () => {
  it('says of a wrong mock which field it is, in one line', () => {
    const program = [...HEAD, ...WRONG.map(([line]) => line)].join('\n');
    expect(openEditor(program).complaints()).toEqual(
      WRONG.map(([, at, message], index) => ({
        line: HEAD.length + index + 1,
        at,
        message: expect.stringMatching(message),
      })),
    );
  }, 60_000);

  it('shows names and texts where somebody writes a mock', () => {
    const editor = openEditor(
      [...HEAD, `backlot.http.mock({ request: { method: '' }, });`, `backlot.redis.fault({});`].join('\n'),
    );
    expect(editor.hover('mock({')).toEqual({
      type: '(method) ProtocolMembers<HttpTypes>.mock(mock: HttpMock): MockHandle<HttpMock>',
      text: 'Creates a mock.',
    });
    expect(editor.hover('fault({').type).toContain('(fault: RedisFault): RedisFault');
    expect(editor.hover('request: {')).toEqual({
      type: '(property) HttpMock.request: HttpRequest',
      text: 'Which requests the mock answers; all that is given must hold.',
    });

    const fields = editor.complete(`method: '' },`);
    expect([...fields.keys()]).toEqual(expect.arrayContaining(['id', 'times', 'response', 'webhooks']));
    expect(fields.get('times')?.()).toBe(
      'How many times the mock matches; after that it is as if it were not there.',
    );
    expect(fields.get('response')?.()).toBe('The answer.');
    expect([...editor.complete(`method: '`).keys()]).toEqual(
      expect.arrayContaining(['GET', 'POST', 'OPTIONS']),
    );
  }, 60_000);
});
