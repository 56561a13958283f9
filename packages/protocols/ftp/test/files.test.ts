import { describe, expect, it } from '@jest/globals';
import { FTPError } from 'basic-ftp';
import { eventually } from '@backlot/conformance';
import { download, downloadBytes, openClient, RawClient, startHost, upload } from './support.js';

const NOON = '2024-05-01T12:00:00Z';

async function codeOf(promise: Promise<unknown>): Promise<number> {
  try {
    await promise;
    return 0;
  } catch (thrown) {
    if (thrown instanceof FTPError) return thrown.code;
    throw thrown;
  }
}

describe('configured files', () => {
  it('have their fields in effect', async () => {
    const { port } = await startHost({
      files: [
        { path: 'no/slash.bin', content: 'AP8=\n', encoding: 'base64', size: 99, modified: NOON },
        {
          path: '/no//./other',
          content: 'x',
          permissions: 'r--r--r--',
          modified: '2024-05-01T14:00:00.5+02:00',
        },
        { path: '/secret', content: 'x', permissions: '0200' },
      ],
    });
    const client = await openClient(port);
    expect(await downloadBytes(client, '/no/slash.bin')).toEqual(Buffer.of(0, 255));
    expect(await client.size('/no/slash.bin')).toBe(2);
    expect(await codeOf(download(client, '/secret'))).toBe(550);
    expect(await codeOf(upload(client, '/no/other', 'y'))).toBe(550);
    expect(await codeOf(client.send('SITE CHMOD 644 /no/other'))).toBe(0);
    expect(await codeOf(upload(client, '/no/other', 'y'))).toBe(0);
    const raw = await RawClient.login(port);
    expect(await raw.ask('MLST /no/slash.bin')).toBe(
      '250-facts of /no/slash.bin\n type=file;size=2;modify=20240501120000;perm=awdfr;UNIX.mode=0644; /no/slash.bin\n250 end',
    );
    expect(await raw.ask('MLST /secret')).toContain('perm=awdf;UNIX.mode=0200;');
    expect(await raw.ask('STAT /no/slash.bin')).toMatch(
      /-rw-r--r-- 1 ftp ftp {12}2 May {2}1 {2}2024 slash.bin/,
    );
  });

  it('have content that is rendered for each download', async () => {
    const { port, host } = await startHost({
      files: [
        { id: 'counter', path: '/count.json', content: '{"n": {{seq "n"}}, "user": "{{request.username}}"}' },
      ],
    });
    const client = await openClient(port, { user: 'a"b', password: 'x' });
    expect(await download(client, '/count.json')).toBe('{"n": 1, "user": "a\\"b"}');
    expect(await download(client, '/count.json')).toBe('{"n": 2, "user": "a\\"b"}');
    expect(host.kind('ftp').calls.of('counter').count).toBe(2);
  });

  it('have the size that was asked for in the download that follows', async () => {
    const { port } = await startHost({
      files: [{ path: '/n', content: '{{seq "n"}} {{request.username}} {{rand_string 5}}' }],
    });
    const client = await openClient(port, { user: 'somebody', password: 'x' });
    for (let n = 1; n <= 12; n += 1) {
      const size = await client.size('/n');
      const content = await download(client, '/n');
      expect(content).toHaveLength(size);
      expect(content.startsWith(`${n} somebody `)).toBe(true);
    }
  });

  it('are counted by downloads only, so that a client may ask before it takes', async () => {
    const { port, host } = await startHost({
      files: [{ id: 'once', path: '/once', content: '1', times: 1 }],
    });
    const client = await openClient(port);
    expect(await client.size('/once')).toBe(1);
    expect(await client.list('/')).toHaveLength(1);
    expect(await download(client, '/once')).toBe('1');
    expect(await codeOf(download(client, '/once'))).toBe(550);
    expect(await client.list('/')).toHaveLength(0);
    expect(host.kind('ftp').calls.of('once').count).toBe(1);
  });

  it('take turns by state, under one path', async () => {
    const { port, host } = await startHost({
      files: [
        { path: '/status', content: 'busy', state: { key: 'job', value: 'busy' } },
        { path: '/status', content: 'idle', set_state: { job: 'busy' } },
      ],
    });
    const client = await openClient(port);
    expect(await download(client, '/status')).toBe('idle');
    expect(await download(client, '/status')).toBe('busy');
    expect(host.state.all()['job']).toBe('busy');
    expect((await client.list('/')).map(({ size }) => size)).toEqual([4]);
  });

  it('expire on the virtual clock, and are changed by scenarios', async () => {
    const { port, host } = await startHost({
      files: [
        { id: 'brief', path: '/brief', content: '1', expires: '1h' },
        { id: 'long', path: '/long', content: 'as it is' },
      ],
    });
    const client = await openClient(port);
    expect(await download(client, '/brief')).toBe('1');
    await host.clock.advance(3_600_000);
    expect(await codeOf(client.size('/brief'))).toBe(550);
    host.scenarios.create({ id: 'new', patches: [{ mock_id: 'long', body: 'patched' }] });
    host.scenarios.activate('new');
    expect(await download(client, '/long')).toBe('patched');
    expect(await client.size('/long')).toBe(7);
    host.scenarios.deactivate('new');
    expect(await download(client, '/long')).toBe('as it is');
  });
});

describe('what clients change', () => {
  const files = [{ id: 'kept', path: '/dir/kept', content: 'configured' }];

  it('lasts until reset, and connections stay', async () => {
    const { port, host } = await startHost({ files });
    const client = await openClient(port);
    await upload(client, '/dir/kept', 'written over');
    await upload(client, '/dir/new', 'new');
    await client.send('MKD /empty');
    expect(await download(client, '/dir/kept')).toBe('written over');
    expect(host.kind('ftp').mocks.list()).toMatchObject([
      { id: 'kept', path: '/dir/kept', content: 'written over' },
      { path: '/dir/new', content: 'new' },
    ]);
    await upload(client, '/dir/new', '{{body}}');
    expect(await download(client, '/dir/new')).toBe('{{body}}');
    expect(host.kind('ftp').mocks.list()[1]).toMatchObject({ content: 'e3tib2R5fX0=', encoding: 'base64' });
    await client.rename('/dir/kept', '/empty/moved');
    expect(await codeOf(client.size('/dir/kept'))).toBe(550);
    expect(await download(client, '/empty/moved')).toBe('written over');
    host.reset();
    expect(await download(client, '/dir/kept')).toBe('configured');
    expect(await codeOf(client.size('/dir/new'))).toBe(550);
    expect((await client.list('/')).map(({ name }) => name)).toEqual(['dir']);
  });

  it('is kept by snapshots', async () => {
    const { port, host } = await startHost({ files });
    const client = await openClient(port);
    await client.remove('/dir/kept');
    await upload(client, '/dir/new', 'first');
    await client.send('MKD /empty');
    const { id } = host.snapshots.create();
    await upload(client, '/dir/new', 'second');
    await client.removeEmptyDir('/empty');
    host.reset();
    expect(await download(client, '/dir/kept')).toBe('configured');
    host.snapshots.restore(id);
    expect(await download(client, '/dir/new')).toBe('first');
    expect(await codeOf(client.size('/dir/kept'))).toBe(550);
    expect((await client.list('/')).map(({ name }) => name)).toEqual(['dir', 'empty']);
  });

  it('leaves directories there when their last file goes', async () => {
    const { port } = await startHost({ files });
    const client = await openClient(port);
    expect(await codeOf(client.removeEmptyDir('/dir'))).toBe(550);
    await client.remove('/dir/kept');
    expect(await codeOf(client.cd('/dir'))).toBe(0);
    await client.removeEmptyDir('/dir');
    expect(await codeOf(client.cd('/dir'))).toBe(550);
    expect(await codeOf(client.removeEmptyDir('/'))).toBe(550);
  });

  it('moves directories with all that is in them', async () => {
    const { port } = await startHost({
      files: [...files, { path: '/dir/sub/a', content: 'a {{upper "b"}}' }],
    });
    const client = await openClient(port);
    await client.send('MKD /dir/sub/empty');
    expect(await codeOf(client.rename('/dir', '/dir/sub/x'))).toBe(553);
    await client.rename('/dir', '/elsewhere');
    expect(await download(client, '/elsewhere/sub/a')).toBe('a B');
    expect((await client.list('/elsewhere/sub')).map(({ name }) => name)).toEqual(['a', 'empty']);
    expect((await client.list('/')).map(({ name }) => name)).toEqual(['elsewhere']);
  });

  it('resumes uploads, appends, and stores under a new name', async () => {
    const { port } = await startHost({ files });
    const client = await openClient(port);
    await client.send('REST 3', true);
    await upload(client, '/dir/kept', 'FIG');
    expect(await download(client, '/dir/kept')).toBe('conFIGured');
    await client.send('REST 99', true);
    expect(await codeOf(upload(client, '/dir/kept', '!'))).toBe(554);
    const raw = await RawClient.login(port);
    const data = await raw.passive();
    expect(await raw.ask('STOU /dir/kept')).toMatch(/^150 /);
    data.end('unique');
    const name = /FILE: (\S+)/.exec(await raw.next())?.[1] ?? '';
    expect(name).not.toBe('/dir/kept');
    expect(await download(client, name)).toBe('unique');
  });

  it('is bounded, and gives room back', async () => {
    const { port, host } = await startHost({ files: [], max_storage_bytes: 100_000 });
    const client = await openClient(port);
    await upload(client, '/a', Buffer.alloc(60_000));
    expect(await codeOf(upload(client, '/b', Buffer.alloc(60_000)))).toBe(552);
    expect(await codeOf(client.size('/b'))).toBe(550);
    const again = await openClient(port);
    await again.remove('/a');
    await upload(again, '/b', Buffer.alloc(60_000));
    const made = await RawClient.login(port);
    let codes = '';
    for (let n = 0; n < 100; n += 1) codes = (await made.ask(`MKD /d${n}`)).slice(0, 3);
    expect(codes).toBe('552');
    host.reset();
    expect((await made.ask('MKD /d')).slice(0, 3)).toBe('257');
  });
});

describe('the journal', () => {
  it('has the commands that files answer, with what was sent', async () => {
    const { port, host } = await startHost({ files: [{ id: 'a', path: '/d/a', content: 'text' }] });
    const client = await openClient(port);
    await client.cd('d');
    await download(client, 'a');
    await upload(client, 'b', 'uploaded');
    await client.rename('b', '../c');
    await client.list('/');
    await codeOf(client.remove('/nothing'));
    await client.send('NOOP');
    await eventually(() => host.journal.list().length >= 7);
    const entries = host.journal.list();
    expect(
      entries.map(({ method, path, status, matched_id: matched }) => [method, path, status, matched]),
    ).toEqual([
      ['CWD', '/d', 250, undefined],
      ['RETR', '/d/a', 226, 'a'],
      ['STOR', '/d/b', 226, undefined],
      ['RNFR', '/d/b', 350, undefined],
      ['RNTO', '/c', 250, undefined],
      ['MLSD', '/', 226, undefined],
      ['DELE', '/nothing', 550, undefined],
    ]);
    expect(entries[1]?.['response']).toMatchObject({ status: 226, body: 'text' });
    expect(entries[2]?.['body']).toBe('uploaded');
    expect(entries[4]?.['body']).toBe('/d/b');
    expect(host.journal.list({ unmatched: true }).map(({ path }) => path)).toEqual(['/nothing']);
  });
});

describe('faults', () => {
  it('answer with their code, and keep the connection unless it is 421', async () => {
    const { port, host } = await startHost({ files: [{ path: '/a', content: 'a' }] });
    const client = await openClient(port);
    host.faults.set('ftp', { code: 452, message: 'disk full' });
    expect(await codeOf(upload(client, '/b', 'b'))).toBe(452);
    expect(await codeOf(download(client, '/a'))).toBe(452);
    expect((await client.send('NOOP')).code).toBe(200);
    host.faults.clear('ftp');
    expect(await download(client, '/a')).toBe('a');
    expect(await codeOf(client.size('/b'))).toBe(550);
    host.faults.set('ftp', {});
    const raw = await RawClient.login(port);
    expect(await raw.ask('SIZE /a')).toBe('421 fault injected');
    expect(await raw.next()).toBe('closed');
  });

  it('hit only the command that they name', async () => {
    const { port, host } = await startHost({ files: [{ path: '/a', content: 'a' }] });
    host.faults.set('ftp', { match: { method: 'STOR' }, code: 452, message: 'disk full' });
    const client = await openClient(port);
    expect(await codeOf(upload(client, '/b', 'b'))).toBe(452);
    expect(await download(client, '/a')).toBe('a');
    expect((await client.list('/')).map(({ name }) => name)).toEqual(['a']);
    await client.remove('/a');
    expect(await codeOf(upload(client, '/b', 'b'))).toBe(452);
    const faulted = host.journal.list().filter(({ fault }) => fault === true);
    expect(faulted).toMatchObject([
      { method: 'STOR', path: '/b', status: 452 },
      { method: 'STOR', path: '/b', status: 452 },
    ]);
    host.faults.clear('ftp');
    await upload(client, '/b', 'b');
    expect(await download(client, '/b')).toBe('b');
  });

  it('count the file, and reach a client that has a data connection open', async () => {
    const { port, host } = await startHost({ files: [{ id: 'a', path: '/a', content: 'a', times: 6 }] });
    host.faults.set('ftp', {});
    for (let n = 0; n < 5; n += 1) {
      const client = await openClient(port);
      await expect(download(client, '/a')).rejects.toThrow('421 fault injected');
    }
    expect(host.journal.list({ matchedId: 'a' })).toMatchObject(
      Array.from({ length: 5 }, () => ({ method: 'RETR', status: 421, fault: true, matched_id: 'a' })),
    );
    host.faults.clear('ftp');
    const client = await openClient(port);
    expect(await download(client, '/a')).toBe('a');
    expect(await codeOf(client.size('/a'))).toBe(550);
  });

  it('are refused when the protocol cannot carry them', async () => {
    const { host } = await startHost();
    for (const bad of [{ code: 226 }, { code: 600 }, { code: 'x' }, { message: 'a\r\nb' }, { text: 'x' }]) {
      expect(() => host.faults.set('ftp', bad)).toThrow();
    }
  });
});

describe('the configuration', () => {
  it.each([
    [{ passive_host: 'localhost' }, 'passive_host'],
    [{ passive_port_end: 5000 }, 'passive_port_start'],
    [{ passive_port_start: 5000, passive_port_end: 4999 }, 'passive_port_end'],
    [{ users: [{ username: 'a' }] }, 'password'],
    [{ files: [{ path: '/a', content: '*', encoding: 'base64' }] }, 'base64'],
  ])('is refused: %j', async (settings, part) => {
    await expect(startHost(settings)).rejects.toThrow(part);
  });
});
