import { describe, expect, it } from '@jest/globals';
import { Client as FtpClient } from 'basic-ftp';
import { ImapFlow } from 'imapflow';
import { Redis } from 'ioredis';
import { Client as LdapClient } from 'ldapts';
import { Client as MemcachedClient } from 'memjs';
import { createTransport } from 'nodemailer';
import { Writable } from 'node:stream';
import { serveMockly } from './serve.js';

describe('redis', () => {
  it('answers ioredis as its file says', async () => {
    await serveMockly(
      'redis',
      async ({ port, setState }) => {
        const client = new Redis({ port, host: '127.0.0.1', password: 'any', maxRetriesPerRequest: 0 });
        expect(await client.get('session:7')).toBe('{"user":"ann"}');
        expect(await client.incr('visits')).toBe(42);
        expect(await client.smembers('tags:7')).toEqual(['red', 'blue']);
        expect(await client.get('gone')).toBeNull();
        expect(await client.get('nothing')).toBeNull();
        await expect(client.lpush('text', 'a')).rejects.toThrow('WRONGTYPE not a list');
        await expect(client.get('flag')).rejects.toThrow('no mock matched');
        await setState('beta', 'on');
        expect(await client.get('flag')).toBe('1');
        client.disconnect();
      },
      { error: 'LOADING' },
    );
  });
});

describe('smtp', () => {
  it('takes the mail of nodemailer as its file says', async () => {
    await serveMockly(
      'smtp',
      async ({ port, call }) => {
        const transport = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } });
        const send = (from: string, to: string, subject: string): Promise<unknown> =>
          transport.sendMail({ from, to, subject, text: 'hello' });
        await expect(send('a@spam.test', 'ann@shop.test', 'x')).rejects.toThrow('550 no spam here');
        await expect(send('a@b.test', 'nobody@shop.test', 'x')).rejects.toThrow('no such user');
        await expect(send('a@b.test', 'ann@shop.test', 'A special offer!')).rejects.toThrow(
          '554 not interested',
        );
        await send('a@b.test', 'ann@shop.test', 'Welcome');
        expect(await call('GET', 'emails')).toMatchObject([
          { from: 'a@b.test', to: ['ann@shop.test'], subject: 'Welcome' },
        ]);
        transport.close();
      },
      { code: 450, message: 'mailbox busy' },
    );
  });
});

describe('ldap', () => {
  it('answers ldapts as its file says', async () => {
    await serveMockly(
      'ldap',
      async ({ port }) => {
        const client = new LdapClient({ url: `ldap://127.0.0.1:${port}` });
        await client.bind('cn=anybody', 'any');
        const found = async (base: string, filter: string): Promise<unknown> =>
          (await client.search(base, { filter })).searchEntries;
        expect(await found('dc=shop,dc=test', '(uid=ann)')).toEqual([
          { dn: 'dc=shop,dc=test', cn: 'Ann Smith', mail: ['ann@shop.test', 'smith@shop.test'], uid: 'ann' },
        ]);
        expect(await found('ou=staff,dc=test', '(cn=x)')).toMatchObject([{ cn: 'Somebody' }]);
        await client.unbind();
      },
      { result_code: 50, message: 'not for you' },
    );
  });
});

describe('imap', () => {
  it('shows imapflow the mailboxes of its file', async () => {
    await serveMockly(
      'imap',
      async ({ port }) => {
        const client = new ImapFlow({
          host: '127.0.0.1',
          port,
          secure: false,
          doSTARTTLS: false,
          auth: { user: 'ann', pass: 's3cret' },
          logger: false,
        });
        await client.connect();
        const lock = await client.getMailboxLock('INBOX');
        const messages = await client.fetchAll('1:*', { envelope: true, flags: true, source: true });
        expect(
          messages.map(({ uid, envelope, flags }) => [
            uid,
            envelope?.from?.[0]?.address,
            envelope?.subject,
            flags,
          ]),
        ).toEqual([
          [101, 'shop@example.com', 'Your order', new Set(['\\Seen'])],
          [102, 'bank@example.com', 'Statement', new Set()],
          [103, 'bob@example.com', 'Lunch?', new Set()],
        ]);
        expect(messages.map(({ source }) => /^Date: (.*)\r$/m.exec(String(source))?.[1])).toEqual([
          'Mon, 15 Jan 2024 10:30:00 +0000',
          'Tue, 16 Jan 2024 09:00:00 +0000',
          'yesterday at noon',
        ]);
        lock.release();
        expect((await client.list()).map(({ path }) => path)).toEqual(['INBOX', 'Archive']);
        await client.logout();
        const stranger = new ImapFlow({
          host: '127.0.0.1',
          port,
          secure: false,
          doSTARTTLS: false,
          auth: { user: 'ann', pass: 'wrong' },
          logger: false,
        });
        await expect(stranger.connect()).rejects.toMatchObject({ authenticationFailed: true });
      },
      { response: 'BAD', message: 'out of order' },
    );
  });
});

describe('ftp', () => {
  it('gives basic-ftp the files of its file', async () => {
    await serveMockly(
      'ftp',
      async ({ port }) => {
        const client = new FtpClient();
        await client.access({ host: '127.0.0.1', port, user: 'any', password: 'any' });
        const [report] = await client.list('/reports');
        expect(report).toMatchObject({
          name: 'day.csv',
          size: 28,
          permissions: { user: 6, group: 4, world: 4 },
        });
        const download = async (path: string): Promise<string> => {
          let text = '';
          const into = new Writable({
            write(chunk: Buffer, _encoding, done) {
              text += chunk.toString();
              done();
            },
          });
          await client.downloadTo(into, path);
          return text;
        };
        expect(await download('/reports/day.csv')).toBe('day,revenue\n2024-01-01,1000\n');
        expect(await download('/data/settings.json')).toBe('{"version":1}');
        client.close();
      },
      { code: 450, message: 'try again' },
    );
  });
});

describe('memcached', () => {
  it('answers memjs as its file says', async () => {
    await serveMockly(
      'memcached',
      async ({ port }) => {
        const client = MemcachedClient.create(`127.0.0.1:${port}`, {
          timeout: 60,
          logger: { log: () => undefined },
        });
        const { value, flags } = await client.get('session:7');
        expect([value?.toString(), flags?.readUInt32BE()]).toEqual(['{"user":42}', 5]);
        expect(await client.delete('anything')).toBe(true);
        await expect(client.set('frozen:1', 'x', {})).rejects.toThrow('Item not stored');
        expect((await client.get('nothing')).value).toBeNull();
        client.close();
      },
      { error_type: 'CLIENT_ERROR', message: 'bad line' },
    );
  });
});
