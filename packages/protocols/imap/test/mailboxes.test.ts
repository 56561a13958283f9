import { describe, expect, it } from '@jest/globals';
import { RawClient, openFlow, startHost } from './support.js';

const NAMES = ['Entwürfe', 'Archive/2024/May', 'Archive/2023', 'R&D', 'two words', 'nil'];

async function open(names: readonly string[] = NAMES): Promise<RawClient> {
  const { port } = await startHost({ mailboxes: names.map((name) => ({ name })) });
  return RawClient.login(port);
}

async function listed(client: RawClient, command: string): Promise<readonly string[]> {
  const answer = await client.ask(command);
  return answer
    .split('\r\n')
    .filter((line) => line.startsWith('*'))
    .map((line) => line.replace(/^\* (LIST|LSUB) /, ''));
}

describe('LIST', () => {
  it('shows INBOX first, all levels, and names in modified UTF-7', async () => {
    const client = await open();
    expect(await listed(client, 'LIST "" "*"')).toEqual([
      '(\\HasNoChildren) "/" INBOX',
      '(\\Noselect \\HasChildren) "/" Archive',
      '(\\HasNoChildren) "/" Archive/2023',
      '(\\Noselect \\HasChildren) "/" Archive/2024',
      '(\\HasNoChildren) "/" Archive/2024/May',
      '(\\HasNoChildren) "/" Entw&APw-rfe',
      '(\\HasNoChildren) "/" R&-D',
      '(\\HasNoChildren) "/" "nil"',
      '(\\HasNoChildren) "/" "two words"',
    ]);
  });

  it('knows both wildcards and the reference', async () => {
    const client = await open();
    const names = async (command: string): Promise<readonly string[]> =>
      (await listed(client, command)).map((line) => line.slice(line.indexOf('"/" ') + 4));
    expect(await names('LIST "" %')).toEqual([
      'INBOX',
      'Archive',
      'Entw&APw-rfe',
      'R&-D',
      '"nil"',
      '"two words"',
    ]);
    expect(await names('LIST "" Archive/%')).toEqual(['Archive/2023', 'Archive/2024']);
    expect(await names('LIST Archive/ *')).toEqual(['Archive/2023', 'Archive/2024', 'Archive/2024/May']);
    expect(await names('LIST "" %/%/%')).toEqual(['Archive/2024/May']);
    expect(await names('LIST "" *2*M%')).toEqual(['Archive/2024/May']);
    expect(await names('LIST "" inbox')).toEqual(['INBOX']);
    expect(await names('LIST "" "Entw&APw-r%"')).toEqual(['Entw&APw-rfe']);
    expect(await names('LIST "" nowhere')).toEqual([]);
    expect(await names(`LIST "" "${'*a'.repeat(400)}"`)).toEqual([]);
    expect(await client.ask('LIST "" ""')).toBe('* LIST (\\Noselect) "/" ""\r\nOK LIST completed\r\n');
  });

  it('answers a pattern full of wildcards quickly, whatever the names are', async () => {
    const client = await open(Array.from({ length: 500 }, (_, index) => `${'a'.repeat(200)}${index}`));
    // The work of this process and not the time it takes: other processes may want the machine too.
    const start = process.cpuUsage().user;
    expect(await listed(client, `LIST "" "${'*a'.repeat(90)}b"`)).toEqual([]);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(3_000);
  });
});

describe('names', () => {
  it('are selected as they are written, encoded or typed, in quotes and as literals', async () => {
    const client = await open();
    for (const name of [
      'Entw&APw-rfe',
      '"Entw\u00c3\u00bcrfe"',
      'R&-D',
      '"R&D"',
      '"two words"',
      '{9+}\r\ntwo words',
      'iNbOx',
      'Archive/2023/',
      '"nil"',
    ]) {
      expect([name, await client.ask(`SELECT ${name}`)]).toEqual([
        name,
        expect.stringMatching(/OK \[READ-WRITE\]/),
      ]);
    }
    expect(await client.ask('SELECT archive/2023')).toMatch(/^NO \[NONEXISTENT\]/);
    expect(await client.ask('SELECT Archive')).toMatch(/^NO \[NONEXISTENT\]/);
    expect(await client.ask('NOOP')).toBe('OK NOOP completed\r\n');
    expect(await client.ask('CLOSE')).toMatch(/^BAD /);
  });

  it('that are plain keys of objects are plain names', async () => {
    const { port } = await startHost({ mailboxes: [{ name: '__proto__', messages: [{ subject: 'a' }] }] });
    const client = await RawClient.login(port);
    expect(await client.ask('STATUS __proto__ (MESSAGES)')).toContain(
      '* STATUS "__proto__" (MESSAGES 1)'.replaceAll('"', ''),
    );
    expect(await client.ask('STATUS constructor (MESSAGES)')).toMatch(/^NO /);
  });

  it('that are there twice show the first mailbox, by priority and age', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        { id: 'first', name: 'A', messages: [{ subject: 'x' }] },
        { id: 'second', name: 'A', messages: [{ subject: 'x' }, { subject: 'y' }] },
      ],
    });
    const client = await RawClient.login(port);
    expect(await client.ask('STATUS A (MESSAGES)')).toContain('(MESSAGES 1)');
    expect(await listed(client, 'LIST "" A')).toHaveLength(1);
    host.kind('imap').mocks.remove('first');
    expect(await client.ask('STATUS A (MESSAGES)')).toContain('(MESSAGES 2)');
  });
});

describe('CREATE, DELETE, RENAME, SUBSCRIBE', () => {
  it('make and remove mailboxes, those of mocks too', async () => {
    const client = await open();
    expect(await client.ask('CREATE New/Sub/')).toBe('OK CREATE completed\r\n');
    expect(await client.ask('CREATE New/Sub')).toMatch(/^NO \[ALREADYEXISTS\]/);
    expect(await client.ask('CREATE inbox')).toMatch(/^NO \[ALREADYEXISTS\]/);
    expect(await client.ask('CREATE "a*"')).toMatch(/^NO \[CANNOT\]/);
    expect(await client.ask('CREATE ""')).toMatch(/^NO \[CANNOT\]/);
    expect(await client.ask('APPEND New/Sub {3+}\r\na:b')).toMatch(/^OK \[APPENDUID/);
    expect(await listed(client, 'LIST "" New*')).toEqual([
      '(\\Noselect \\HasChildren) "/" New',
      '(\\HasNoChildren) "/" New/Sub',
    ]);
    expect(await client.ask('DELETE New/Sub')).toBe('OK DELETE completed\r\n');
    expect(await client.ask('DELETE New/Sub')).toMatch(/^NO \[NONEXISTENT\]/);
    expect(await client.ask('DELETE R&-D')).toBe('OK DELETE completed\r\n');
    expect(await listed(client, 'LIST "" R*')).toEqual([]);
    expect(await client.ask('CREATE R&-D')).toBe('OK CREATE completed\r\n');
    expect(await client.ask('STATUS R&-D (MESSAGES)')).toContain('* STATUS R&-D (MESSAGES 0)');
    expect(await client.ask('DELETE INBOX')).toMatch(/^NO \[CANNOT\]/);
  });

  it('rename with all that is below, and take the messages out of INBOX', async () => {
    const { port } = await startHost({
      mailboxes: [
        { name: 'A', messages: [{ subject: 'x', flags: ['\\Seen'] }] },
        { name: 'A/B', messages: [{ subject: 'y' }, { subject: 'z' }] },
        { name: 'INBOX', messages: [{ subject: 'i' }] },
      ],
    });
    const client = await RawClient.login(port);
    expect(await client.ask('RENAME A C/D')).toBe('OK RENAME completed\r\n');
    expect(await client.ask('STATUS C/D (MESSAGES UNSEEN)')).toContain('(MESSAGES 1 UNSEEN 0)');
    expect(await client.ask('STATUS C/D/B (MESSAGES)')).toContain('(MESSAGES 2)');
    expect(await client.ask('STATUS A (MESSAGES)')).toMatch(/^NO /);
    expect(await client.ask('STATUS A/B (MESSAGES)')).toMatch(/^NO /);
    expect(await client.ask('RENAME INBOX Old')).toBe('OK RENAME completed\r\n');
    expect(await client.ask('STATUS Old (MESSAGES)')).toContain('(MESSAGES 1)');
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 0)');
    expect(await client.ask('RENAME nowhere Z')).toMatch(/^NO \[NONEXISTENT\]/);
    expect(await client.ask('RENAME C/D Old')).toMatch(/^NO \[ALREADYEXISTS\]/);
    expect(await client.ask('RENAME C/D C/D/E')).toMatch(/^NO \[CANNOT\]/);
  });

  it('subscribe; mailboxes of mocks are subscribed from the start', async () => {
    const client = await open(['A', 'B/C']);
    await client.ask('CREATE D');
    expect(await listed(client, 'LSUB "" *')).toEqual([
      '(\\HasNoChildren) "/" INBOX',
      '(\\HasNoChildren) "/" A',
      '(\\Noselect \\HasChildren) "/" B',
      '(\\HasNoChildren) "/" B/C',
    ]);
    await client.ask('SUBSCRIBE D');
    await client.ask('UNSUBSCRIBE A');
    expect(await listed(client, 'LSUB "" %')).toEqual([
      '(\\HasNoChildren) "/" INBOX',
      '(\\Noselect \\HasChildren) "/" B',
      '(\\HasNoChildren) "/" D',
    ]);
    expect(await client.ask('SUBSCRIBE nowhere')).toMatch(/^NO \[NONEXISTENT\]/);
  });

  it('answer imapflow', async () => {
    const { port } = await startHost({ mailboxes: NAMES.map((name) => ({ name })) });
    const client = await openFlow(port);
    const found = await client.list();
    expect(found.map(({ path }) => path)).toEqual(expect.arrayContaining(['INBOX', ...NAMES]));
    expect(await client.mailboxCreate(['Ümlaut', 'Kind'])).toMatchObject({
      path: 'Ümlaut/Kind',
      created: true,
    });
    expect(await client.mailboxRename('Ümlaut/Kind', 'Neu')).toMatchObject({ newPath: 'Neu' });
    expect((await client.mailboxOpen('Neu')).exists).toBe(0);
    expect(await client.mailboxDelete('Neu')).toMatchObject({ path: 'Neu' });
    expect((await client.list()).map(({ path }) => path)).not.toContain('Neu');
  });
});
