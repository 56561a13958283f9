import { describe, expect, it } from '@jest/globals';
import { urlOf, urlVariableOf } from '../src/host/url-of.js';
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

  it('has a variable of its own', () => {
    expect(urlVariableOf('my-probe', META)).toBe('MY_PROBE_URL');
    expect(urlVariableOf('my-probe', { ...META, urlVariable: 'PROBES' })).toBe('PROBES');
  });

  it('is there while the kind listens', async () => {
    const { host } = await startProbe();
    const kind = host.kind('probe');
    expect(kind).toMatchObject({ url: 'probe://127.0.0.1:1', urlVariable: 'PROBE_URL' });
    await host.stop(0);
    expect(kind.url).toBeUndefined();
  });
});
