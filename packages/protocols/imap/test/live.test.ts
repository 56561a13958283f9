import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, openFlow, startHost, type Running } from './support.js';

const subjects = (...names: readonly string[]): readonly object[] => names.map((subject) => ({ subject }));
const inbox = (...names: readonly string[]): object => ({ name: 'INBOX', messages: subjects(...names) });

async function startIdle(...names: readonly string[]): Promise<Running & { readonly client: RawClient }> {
  const running = await startHost({ mailboxes: [{ id: 'inbox', ...inbox(...names) }] });
  const client = await RawClient.login(running.port, 'INBOX');
  client.write('idle IDLE\r\n');
  await client.receive(/\+ idling\r\n/);
  return { ...running, client };
}

describe('IDLE', () => {
  it('tells of what the API changes, and only of that', async () => {
    const { host, client } = await startIdle('a', 'b', 'c');
    const { mocks } = host.kind('imap');
    mocks.replace('inbox', inbox('a', 'b', 'c', 'd'));
    expect(await client.receive(/RECENT\r\n/)).toBe('* 4 EXISTS\r\n* 1 RECENT\r\n');
    mocks.replace('inbox', inbox('a', 'c', 'd'));
    expect(await client.receive(/EXPUNGE\r\n/)).toBe('* 2 EXPUNGE\r\n');
    mocks.replace('inbox', {
      name: 'INBOX',
      messages: [{ subject: 'a', flags: ['\\Seen'] }, ...subjects('c', 'd')],
    });
    expect(await client.receive(/FETCH.*\r\n/)).toBe('* 1 FETCH (FLAGS (\\Seen))\r\n');
    mocks.replace('inbox', {
      name: 'INBOX',
      messages: [{ subject: 'a', flags: ['\\Seen'] }, ...subjects('new', 'd')],
    });
    expect(await client.receive(/RECENT\r\n/)).toBe(
      '* 3 EXPUNGE\r\n* 2 EXPUNGE\r\n* 3 EXISTS\r\n* 2 RECENT\r\n',
    );
    mocks.remove('inbox');
    expect(await client.receive(/\* 1 EXPUNGE\r\n/)).toContain('* 3 EXPUNGE\r\n* 2 EXPUNGE\r\n');
    client.write('done\r\n');
    expect(await client.receive(/idle OK/)).toBe('idle OK IDLE completed\r\n');
  });

  it('begins anew under another UIDVALIDITY when UIDs come to mean other messages', async () => {
    const { host, client } = await startIdle('a', 'b');
    host.kind('imap').mocks.replace('inbox', { name: 'INBOX', messages: [{ uid: 1, subject: 'other' }] });
    expect(await client.receive(/UIDVALIDITY.*\r\n/)).toMatch(
      /^\* 2 EXPUNGE\r\n\* 1 EXPUNGE\r\n\* 1 EXISTS\r\n\* 0 RECENT\r\n\* OK \[UIDVALIDITY \d+\]/,
    );
  });

  it('tells of what other clients do', async () => {
    const { port, client } = await startIdle('a', 'b');
    const other = await RawClient.login(port, 'INBOX');
    await other.ask('STORE 2 FLAGS.SILENT (Work)');
    expect(await client.receive(/FETCH.*\r\n/)).toBe('* 2 FETCH (FLAGS (Work))\r\n');
    await other.ask('FETCH 1 BODY[]');
    expect(await client.receive(/FETCH.*\r\n/)).toBe('* 1 FETCH (FLAGS (\\Seen))\r\n');
    await other.ask('APPEND INBOX {3+}\r\na:b');
    expect(await client.receive(/RECENT\r\n/)).toMatch(/^\* 3 EXISTS\r\n/);
    await other.ask('STORE 1 +FLAGS (\\Deleted)');
    await client.receive(/FETCH.*\r\n/);
    await other.ask('EXPUNGE');
    expect(await client.receive(/EXPUNGE\r\n/)).toBe('* 1 EXPUNGE\r\n');
    await other.ask('CLOSE');
    await other.ask('DELETE INBOX');
    client.write('stop\r\n');
    expect(await client.receive(/idle BAD/)).toBe('idle BAD IDLE ends with DONE\r\n');
  });

  it('wakes imapflow', async () => {
    const { host, port } = await startHost({ mailboxes: [{ id: 'inbox', ...inbox('a') }] });
    const client = await openFlow(port);
    await client.mailboxOpen('INBOX');
    const seen: string[] = [];
    client.on('exists', ({ count }) => seen.push(`exists ${count}`));
    client.on('expunge', ({ seq }) => seen.push(`expunge ${seq}`));
    client.on('flags', ({ seq, flags }) => seen.push(`flags ${seq} ${[...(flags ?? [])].join(' ')}`));
    const idling = client.idle();
    await eventually(() => host.journal.list().length > 0 && client.idling === true);
    host.kind('imap').mocks.replace('inbox', inbox('a', 'b'));
    await eventually(() => seen.includes('exists 2'));
    const other = await RawClient.login(port, 'INBOX');
    await other.ask('STORE 1 FLAGS (\\Flagged)');
    await eventually(() => seen.includes('flags 1 \\Flagged'));
    await other.ask('UID STORE 1 +FLAGS (\\Deleted)');
    await other.ask('EXPUNGE');
    await eventually(() => seen.includes('expunge 1'));
    await client.noop();
    await idling;
    await client.logout();
  });
});

describe('sessions beside each other', () => {
  it('are told of messages that are gone only when no sequence number is in use', async () => {
    const { port } = await startHost({ mailboxes: [inbox('a', 'b', 'c')] });
    const [one, two] = [await RawClient.login(port, 'INBOX'), await RawClient.login(port, 'INBOX')];
    await two.ask('STORE 1 +FLAGS.SILENT (\\Deleted)');
    await two.ask('EXPUNGE');
    await two.ask('APPEND INBOX {3+}\r\na:b');
    expect(await one.ask('FETCH 2 UID')).toBe(
      '* 2 FETCH (UID 2)\r\n* 1 FETCH (FLAGS (\\Deleted))\r\n* 4 EXISTS\r\n* 0 RECENT\r\nOK FETCH completed\r\n',
    );
    expect(await one.ask('FETCH 1 (UID BODY[TEXT])')).toContain('* 1 FETCH (UID 1 BODY[TEXT]');
    expect(await one.ask('STORE 1 +FLAGS (x)')).toMatch(/^NO \[EXPUNGEISSUED\]/);
    expect(await one.ask('COPY 1:2 INBOX')).toMatch(/NO \[EXPUNGEISSUED\]/);
    expect(await one.ask('NOOP')).toBe('* 1 EXPUNGE\r\nOK NOOP completed\r\n'.replace('OK', 'OK'));
    expect(await one.ask('SEARCH ALL')).toBe('* SEARCH 1 2 3\r\nOK SEARCH completed\r\n');
  });

  it('learn of flags with the next command of whatever kind', async () => {
    const { port } = await startHost({ mailboxes: [inbox('a', 'b')] });
    const [one, two] = [await RawClient.login(port, 'INBOX'), await RawClient.login(port, 'INBOX')];
    await two.ask('STORE 2 FLAGS (x)');
    expect(await one.ask('UID STORE 1 FLAGS.SILENT (y)')).toBe(
      '* 2 FETCH (UID 2 FLAGS (x))\r\nOK UID STORE completed\r\n',
    );
    expect(await two.ask('CHECK')).toBe('* 1 FETCH (FLAGS (y))\r\nOK CHECK completed\r\n');
  });

  it('keep a mailbox that is deleted open, empty', async () => {
    const { port } = await startHost({ mailboxes: [{ name: 'A', messages: subjects('a') }] });
    const [one, two] = [await RawClient.login(port, 'A'), await RawClient.login(port)];
    await two.ask('DELETE A');
    expect(await one.ask('FETCH 1 FLAGS')).toBe('NO [NONEXISTENT] the mailbox is gone\r\n');
    expect(await one.ask('NOOP')).toBe('* 1 EXPUNGE\r\nOK NOOP completed\r\n');
    expect(await one.ask('CLOSE')).toBe('OK CLOSE completed\r\n');
  });
});

describe('what clients have changed', () => {
  it('goes with a reset, while connections stay', async () => {
    const { host, port } = await startHost({ mailboxes: [{ id: 'inbox', ...inbox('a', 'b') }] });
    const client = await RawClient.login(port, 'INBOX');
    await client.ask('STORE 1 FLAGS (x \\Deleted)');
    await client.ask('EXPUNGE');
    await client.ask('APPEND INBOX {3+}\r\na:b');
    await client.ask('CREATE Mine');
    await client.ask('SUBSCRIBE Mine');
    host.reset();
    expect(await client.ask('NOOP')).toMatch(/\* 2 EXPUNGE\r\n\* 1 EXPUNGE\r\n\* 2 EXISTS[^]*UIDVALIDITY/);
    expect(await client.ask('FETCH 1:* (UID FLAGS)')).toContain(
      '* 1 FETCH (UID 1 FLAGS ())\r\n* 2 FETCH (UID 2 FLAGS ())\r\n',
    );
    expect(await client.ask('LIST "" Mine')).toBe('OK LIST completed\r\n');
  });

  it('does not disturb those who have changed nothing', async () => {
    const { host, port } = await startHost({ mailboxes: [{ id: 'inbox', ...inbox('a', 'b') }] });
    const client = await RawClient.login(port, 'INBOX');
    host.reset();
    expect(await client.ask('NOOP')).toBe('OK NOOP completed\r\n');
  });

  it('comes back with a snapshot', async () => {
    const { host, port } = await startHost({ mailboxes: [{ id: 'inbox', ...inbox('a', 'b') }] });
    const client = await RawClient.login(port, 'INBOX');
    await client.ask('STORE 1 FLAGS (kept)');
    await client.ask('APPEND INBOX (mine) {3+}\r\na:b');
    await client.ask('CREATE Mine');
    const { id } = host.snapshots.create('before');
    await client.ask('STORE 1:3 FLAGS (\\Deleted)');
    await client.ask('EXPUNGE');
    await client.ask('DELETE Mine');
    host.snapshots.restore(id);
    expect(await client.ask('NOOP')).toContain('* 3 EXISTS\r\n');
    expect(await client.ask('FETCH 1:* FLAGS')).toMatch(
      /1 FETCH \(FLAGS \(kept\)\)[^]*3 FETCH \(FLAGS \(mine/,
    );
    expect(await client.ask('STATUS Mine (MESSAGES)')).toContain('(MESSAGES 0)');
  });

  it('goes when its mock changes or is deleted', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        { id: 'inbox', ...inbox('a') },
        { id: 'a', name: 'A', messages: subjects('x') },
      ],
    });
    const client = await RawClient.login(port);
    await client.ask('APPEND INBOX {3+}\r\na:b');
    await client.ask('DELETE A');
    host.kind('imap').mocks.replace('inbox', inbox('a'));
    host.kind('imap').mocks.replace('a', { name: 'A', messages: subjects('x', 'y') });
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 1)');
    expect(await client.ask('STATUS A (MESSAGES)')).toContain('(MESSAGES 2)');
    host.kind('imap').mocks.remove('a');
    expect(await client.ask('STATUS A (MESSAGES)')).toMatch(/^NO /);
  });
});
