import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PYTHON, itWithTool, runTool } from '@backlot/conformance';
import { NESTED } from './letters.js';
import { afterThis, openFlow, startHost, type Running } from './support.js';

const SCRIPT = fileURLToPath(new URL('./client.py', import.meta.url));

function start(): Promise<Running> {
  return startHost({
    users: [{ username: 'ann', password: 'secret' }],
    mailboxes: [
      {
        name: 'INBOX',
        messages: [
          {
            from: 'Ann <ann@example.com>',
            to: 'bob@example.com',
            subject: 'first',
            body: 'one',
            date: '2024-02-01T09:30:00Z',
          },
          { raw: NESTED, date: '2024-02-02T09:30:00Z', flags: ['\\Seen'] },
        ],
      },
      { name: 'Archive/2024', messages: [{ subject: 'old', body: 'x' }] },
      { name: 'Entwürfe' },
    ],
  });
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'imap-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('curl', () => {
  const curl = async (port: number, path: string, ...options: readonly string[]): Promise<string> =>
    (
      await runTool('curl', [
        '-sS',
        '--max-time',
        '10',
        '-u',
        'ann:secret',
        `imap://127.0.0.1:${port}/${path}`,
        ...options,
      ])
    ).out;

  itWithTool('curl', 'lists, reads, searches, appends and changes', async () => {
    const { port } = await start();
    expect(await curl(port, '')).toContain('* LIST (\\HasNoChildren) "/" INBOX\r\n');
    expect(await curl(port, 'INBOX;UID=2')).toBe(NESTED);
    expect(await curl(port, 'INBOX;MAILINDEX=2;SECTION=3')).toBe('JVBERi0=');
    expect(await curl(port, 'INBOX;UID=2;SECTION=HEADER.FIELDS%20(SUBJECT)')).toContain('Subject: A long');
    expect(await curl(port, 'INBOX?SUBJECT%20first')).toBe('* SEARCH 1\r\n');
    expect(await curl(port, 'INBOX', '-X', 'STORE 1 +Flags \\Deleted')).toContain(
      '* 1 FETCH (FLAGS (\\Deleted))',
    );
    expect(await curl(port, 'INBOX', '-X', 'EXPUNGE')).toContain('* 1 EXPUNGE');
    const folder = makeFolder();
    writeFileSync(join(folder, 'mail'), 'Subject: new\r\n\r\nfrom curl\r\n');
    await curl(port, 'Archive/2024', '-T', join(folder, 'mail'));
    expect(await curl(port, 'Archive%2F2024;UID=2')).toBe('Subject: new\r\n\r\nfrom curl\r\n');
    expect(await curl(port, '', '-X', 'STATUS Archive/2024 (MESSAGES)')).toContain('(MESSAGES 2)');
  });

  itWithTool('curl', 'reads mails that are JSON values, which parts and types say', async () => {
    const { host, port } = await startHost({
      mailboxes: [
        {
          id: 'inbox',
          name: 'INBOX',
          messages: [
            { subject: 'an event', json: { user: '{{vars.user}}', n: '{{seq "n"}}', list: [1, 'é'] } },
            { subject: 'a list', json: [] },
          ],
        },
      ],
    });
    expect(await curl(port, 'INBOX;UID=1;SECTION=TEXT')).toBe('{"user":"","n":1,"list":[1,"é"]}\r\n');
    const header = await curl(port, 'INBOX;UID=2;SECTION=HEADER');
    expect(header).toContain('Content-Type: application/json\r\n');
    expect(header).toContain('Content-Transfer-Encoding: 7bit\r\n');
    const client = await openFlow(port);
    await client.mailboxOpen('INBOX');
    const fetched = await client.fetchOne('1', { bodyStructure: true });
    expect(fetched && fetched.bodyStructure).toMatchObject({ type: 'application/json', encoding: '8bit' });
    host.scenarios.create({ id: 'text', patches: [{ protocol: 'imap', mock_id: 'inbox', body: 'plain' }] });
    host.scenarios.activate('text');
    expect(await curl(port, 'INBOX;MAILINDEX=2;SECTION=TEXT')).toBe('plain\r\n');
    const published = host.kind('imap').data;
    const { uid } = await published.publish({ subject: 'told', json: { told: true } });
    expect(await curl(port, `INBOX;UID=${String(uid)};SECTION=TEXT`)).toBe('{"told":true}\r\n');
    await expect(published.publish({ body: 'x', json: {} })).rejects.toThrow('json stands in place of body');
    const { mocks } = host.kind('imap');
    for (const [message, problem] of [
      [{ body: 'x', json: {} }, 'body and json cannot stand together'],
      [{ raw: 'Subject: x', json: {} }, 'there can be no json beside it'],
      [{ body: { a: 1 } }, 'a JSON value is given as "json"'],
    ] as const)
      expect(() => mocks.create({ name: 'Other', messages: [message] })).toThrow(problem);
  });

  itWithTool('curl', 'learns that the password is wrong', async () => {
    const { port } = await start();
    const { code } = await runTool('curl', [
      '-sS',
      '--max-time',
      '10',
      '-u',
      'ann:wrong',
      `imap://127.0.0.1:${port}/`,
    ]);
    expect(code).toBe(67);
  });
});

describe("python's imaplib", () => {
  itWithTool('python3', 'does its whole work', async () => {
    const { port } = await start();
    const { out, err } = await runTool(PYTHON, [SCRIPT, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n').at(-1)).toBe('done');
  });
});

describe('mutt', () => {
  itWithTool(
    'mutt',
    'sends a command for each message, and copies it away',
    async () => {
      const { host, port } = await start();
      const folder = makeFolder();
      const rc = join(folder, 'muttrc');
      writeFileSync(
        rc,
        [
          `set folder=imap://ann:secret@127.0.0.1:${port}/`,
          `set spoolfile=+INBOX`,
          `set ssl_starttls=no ssl_force_tls=no confirmappend=no delete=yes quit=yes move=no`,
          `set header_cache=${folder}/cache`,
          `push "<tag-pattern>~A<enter><tag-prefix><copy-message>=Archive/2024<enter><delete-message><quit>"`,
        ].join('\n'),
      );
      await runTool('script', ['-qec', `mutt -n -F ${rc}`, '/dev/null'], {
        env: { TERM: 'vt100', HOME: folder, LINES: '24', COLUMNS: '80' },
      });
      const methods = host.journal.list().map(({ method, status }) => `${String(method)} ${String(status)}`);
      expect(methods.filter((entry) => entry.endsWith('BAD'))).toEqual([]);
      expect(methods).toEqual(expect.arrayContaining(['SELECT OK', 'UID COPY OK', 'LOGOUT OK']));
      const client = await openFlow(port);
      expect(await client.status('Archive/2024', { messages: true })).toMatchObject({ messages: 3 });
    },
    20_000,
  );
});

describe('offlineimap', () => {
  itWithTool(
    'offlineimap',
    'mirrors everything, and brings local changes back',
    async () => {
      const { port } = await start();
      const folder = makeFolder();
      const rc = join(folder, 'rc');
      writeFileSync(
        rc,
        `[general]
accounts = a
metadata = ${folder}/meta
[Account a]
localrepository = l
remoterepository = r
[Repository l]
type = Maildir
localfolders = ${folder}/mail
sep = .
[Repository r]
type = IMAP
remotehost = 127.0.0.1
remoteport = ${port}
remoteuser = ann
remotepass = secret
ssl = no
starttls = no
`,
      );
      mkdirSync(join(folder, 'mail'));
      const sync = (): ReturnType<typeof runTool> =>
        runTool('offlineimap', ['-c', rc, '-o', '-u', 'basic'], { env: { HOME: folder } });
      const first = await sync();
      expect(first.out + first.err).not.toMatch(/ERROR/);
      const inbox = join(folder, 'mail', 'INBOX');
      const files = [...readdirSync(join(inbox, 'cur')), ...readdirSync(join(inbox, 'new'))];
      expect(files).toHaveLength(2);
      const seen = files.find((name) => name.endsWith('S')) ?? '';
      expect(readFileSync(join(inbox, 'cur', seen), 'latin1').replaceAll('\n', '\r\n')).toContain(
        'Gr=C3=BC=C3=9Fe',
      );
      expect(readdirSync(join(folder, 'mail'))).toEqual(expect.arrayContaining(['INBOX', 'Archive.2024']));
      writeFileSync(join(inbox, 'cur', '1700000000.1.host:2,FS'), 'Subject: local\n\nwritten here\n');
      rmSync(join(inbox, 'cur', seen));
      const second = await sync();
      expect(second.out + second.err).not.toMatch(/ERROR/);
      const client = await openFlow(port);
      const lock = await client.getMailboxLock('INBOX');
      const subjects: unknown[] = [];
      for await (const { envelope, flags } of client.fetch('1:*', { envelope: true, flags: true })) {
        subjects.push([envelope?.subject, [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort()]);
      }
      lock.release();
      expect(subjects).toEqual([
        ['first', []],
        ['local', ['\\Flagged', '\\Seen']],
      ]);
    },
    45_000,
  );
});

describe('imapflow', () => {
  it('streams a mailbox', async () => {
    const messages = Array.from({ length: 500 }, (_, index) => ({
      subject: `n${index + 1}`,
      body: 'x'.repeat(index),
    }));
    const { port } = await startHost({ mailboxes: [{ name: 'INBOX', messages }] });
    const client = await openFlow(port);
    await client.mailboxOpen('INBOX');
    const subjects: unknown[] = [];
    for await (const { envelope, source, size } of client.fetch('1:*', {
      envelope: true,
      source: true,
      size: true,
    })) {
      subjects.push(envelope?.subject);
      expect(source?.length).toBe(size);
    }
    expect(subjects).toEqual(messages.map(({ subject }) => subject));
  });
});
