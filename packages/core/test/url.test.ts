import { describe, expect, it } from '@jest/globals';
import { urlOf } from '../src/host/url-of.js';
import { renameVariables, urlVariableOf, variableNamesOf, variablesOf } from '../src/host/variables.js';
import type { ProtocolMeta } from '../src/contract/protocol.js';
import { startProbe } from './support.js';

const META: ProtocolMeta = {
  title: 'Probe',
  summary: 'A test plugin.',
  transport: 'stream',
  defaultPort: 1,
  url: 'probe://{host}:{port}/path',
};

describe('a url', () => {
  it.each([
    ['localhost', 'probe://localhost:7/path'],
    ['0.0.0.0', 'probe://localhost:7/path'],
    ['::', 'probe://localhost:7/path'],
    ['::1', 'probe://[::1]:7/path'],
    ['10.0.0.5', 'probe://10.0.0.5:7/path'],
  ])('of what listens on %s is %s', (host, url) => {
    expect(urlOf(META, { host, port: 7 }, false)).toBe(url);
  });

  it('says when it is encrypted', () => {
    expect(urlOf(META, { host: 'localhost', port: 7 }, true)).toBe('probes://localhost:7/path');
    expect(urlOf({ ...META, url: 'ws://{host}:{port}' }, { host: '::1', port: 7 }, true)).toBe(
      'wss://[::1]:7',
    );
  });

  it('has the path that a setting gives, as it is', () => {
    const meta = { ...META, urlPath: 'path' };
    const at = { host: '::1', port: 7 };
    expect(urlOf(meta, at, true, { path: '/$1/$&' })).toBe('probes://[::1]:7/$1/$&');
    expect(urlOf({ ...meta, url: 'probe://{host}:{port}' }, at, false, { path: '/a' })).toBe(
      'probe://[::1]:7/a',
    );
    expect(urlOf(meta, at, false, {})).toBe('probe://[::1]:7/path');
    expect(urlOf(META, at, false, { path: '/a' })).toBe('probe://[::1]:7/path');
  });

  it('has a variable of its own', () => {
    expect(urlVariableOf('my-probe', META)).toBe('MY_PROBE_URL');
    expect(urlVariableOf('my-probe', { ...META, urlVariable: 'PROBES' })).toBe('PROBES');
  });

  it('is there while the kind listens', async () => {
    const { host } = await startProbe();
    const kind = host.kind('probe');
    const variables = { PROBE_URL: 'probe://127.0.0.1:1', PROBE_HOST: '127.0.0.1', PROBE_PORT: '1' };
    expect(kind).toMatchObject({ url: 'probe://127.0.0.1:1', urlVariable: 'PROBE_URL', variables });
    await host.stop(0);
    expect([kind.url, kind.variables]).toEqual([undefined, {}]);
  });
});

describe('the variables of a kind', () => {
  const meta = { ...META, urlVariable: 'PROBES' };

  it('are its url, and its host and port apart', () => {
    const variables = variablesOf('my-probe', meta, { host: '0.0.0.0', port: 7 }, 'probe://localhost:7');
    expect(variables).toEqual({
      PROBES: 'probe://localhost:7',
      MY_PROBE_URL: 'probe://localhost:7',
      MY_PROBE_HOST: 'localhost',
      MY_PROBE_PORT: '7',
    });
    expect(variableNamesOf({ kind: 'my-probe', meta })).toEqual(Object.keys(variables));
    expect(variableNamesOf({ kind: 'probe', meta: META })).toEqual(['PROBE_URL', 'PROBE_HOST', 'PROBE_PORT']);
  });

  it('get further names', () => {
    const variables = { PROBES: 'a:1', PROBE_URL: 'a:1', PROBE_PORT: '1' };
    expect(
      renameVariables(variables, [
        ['PROBE', 'MINE'],
        ['PROBE_PORT', 'MY_PORT'],
        ['PROBES', '__proto__'],
      ]),
    ).toEqual(
      Object.fromEntries([
        ['MINE', 'a:1'],
        ['MY_PORT', '1'],
        ['__proto__', 'a:1'],
      ]),
    );
    expect(() => renameVariables(variables, [['PROBE_PROT', 'X']])).toThrow(
      'there is no variable "PROBE_PROT"; did you mean "PROBE_PORT"?; there are PROBES, PROBE_URL, PROBE_PORT',
    );
    expect(() => renameVariables(variables, [['toString', 'X']])).toThrow('there is no variable "toString"');
    for (const own of ['', 'A=B'])
      expect(() => renameVariables(variables, [['PROBE', own]])).toThrow('cannot be the name of a variable');
  });
});
