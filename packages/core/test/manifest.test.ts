import { describe, expect, it } from '@jest/globals';
import {
  createHost,
  importersFor,
  importFile,
  importFormats,
  manifestOf,
  protocolFromManifest,
  type Importer,
} from '../src/index.js';
import { probe } from './support.js';

describe('a manifest', () => {
  it('is plain JSON', () => {
    const manifest = manifestOf(probe().protocol);
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    expect(manifest).toMatchObject({
      kind: 'probe',
      mocks: { noun: 'mock', mode: 'first', patch: true },
      fault: true,
      streams: true,
      capture: {},
    });
  });

  it('has the names of formats that are imported, and loads the importers when a file is', async () => {
    const { protocol } = probe();
    const importer: Importer = {
      format: 'lines',
      title: 'Lines',
      detect: () => 'sure',
      *convert() {
        yield;
        return {};
      },
    };
    const imports = { formats: { lines: 'Lines' }, load: async () => [importer] };
    let loads = 0;
    const given = protocolFromManifest(manifestOf({ ...protocol, imports }), async () => {
      loads += 1;
      return { ...protocol, imports };
    });
    expect(importFormats([given], [])).toEqual({ lines: 'Lines' });
    const file = importFile({ content: 'x' });
    expect(await importersFor(file, [given], [importer])).toEqual([importer]);
    expect(loads).toBe(0);
    expect(await importersFor(file, [given], [])).toEqual([importer]);
    expect(loads).toBe(1);
  });

  it('stands for a kind that is not enabled, until its declaration is asked for', async () => {
    const { protocol } = probe();
    let loads = 0;
    const load = (): Promise<typeof protocol> => {
      loads += 1;
      return Promise.resolve(protocol);
    };
    const host = await createHost({ protocols: [protocolFromManifest(manifestOf(protocol), load)] });
    await host.start();
    const kind = host.kind('probe');
    expect(kind.enabled).toBe(false);
    expect(kind.status()).toMatchObject({
      enabled: false,
      state: 'stopped',
      title: 'Probe',
      mocks: 0,
      messages: 0,
    });
    expect(kind.mocks.list()).toEqual([]);
    expect(host.faults.canFault('probe')).toBe(true);
    host.reset();
    expect(loads).toBe(0);

    await kind.load();
    await kind.load();
    expect(loads).toBe(1);
    expect(kind.protocol).toBe(protocol);
    expect(() => host.scenarios.create({ id: 's', faults: { probe: { txt: 'x' } } })).toThrow(
      'unknown field "txt"',
    );
    await host.stop();
  });

  it('takes no settings', async () => {
    const { protocol } = probe();
    const manifest = protocolFromManifest(manifestOf(protocol), () => Promise.resolve(protocol));
    await expect(createHost({ protocols: [manifest], settings: { probe: { port: 0 } } })).rejects.toThrow(
      'probe is given as a manifest, which takes no settings',
    );
  });
});
