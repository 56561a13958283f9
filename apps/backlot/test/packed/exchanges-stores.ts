import { Writable } from 'node:stream';
import { Client as FtpClient } from 'basic-ftp';
import { ImapFlow } from 'imapflow';
import { Redis } from 'ioredis';
import { Client as LdapClient } from 'ldapts';
import { Client as MemcachedClient } from 'memjs';
import nodemailer from 'nodemailer';
import type { Exchange } from './exchanges.js';

/** Data, mail and directories. */
export const connectStores: Readonly<Record<string, Exchange>> = {
  redis: {
    settings: {
      mocks: [{ id: 'user', command: 'GET', key: 'user:*', response: { type: 'bulk', value: 'Ann' } }],
    },
    async run(port) {
      const client = new Redis(port, 'localhost');
      const value = await client.get('user:1');
      await client.quit();
      return value;
    },
    want: 'Ann',
  },
  memcached: {
    settings: {},
    async run(port) {
      const client = MemcachedClient.create(`localhost:${port}`);
      await client.set('user:1', 'Ann', {});
      const { value } = await client.get('user:1');
      client.close();
      return value?.toString();
    },
    want: 'Ann',
  },
  smtp: {
    settings: {},
    async run(port) {
      const transport = nodemailer.createTransport({ host: 'localhost', port, ignoreTLS: true });
      const { accepted } = await transport.sendMail({
        from: 'a@a.test',
        to: 'b@b.test',
        subject: 's',
        text: 't',
      });
      transport.close();
      return accepted;
    },
    want: ['b@b.test'],
  },
  imap: {
    settings: {
      mailboxes: [
        {
          id: 'work',
          name: 'Work',
          messages: [{ from: 'a@a.test', to: 'b@b.test', subject: 'hi', body: 'x' }],
        },
      ],
    },
    async run(port) {
      const auth = { user: 'ann', pass: 'secret' };
      const client = new ImapFlow({
        host: 'localhost',
        port,
        secure: false,
        doSTARTTLS: false,
        logger: false,
        auth,
      });
      await client.connect();
      const { exists } = await client.mailboxOpen('Work');
      await client.logout();
      return exists;
    },
    want: 1,
  },
  ftp: {
    settings: { files: [{ id: 'readme', path: '/readme.txt', content: 'read me' }] },
    async run(port) {
      const client = new FtpClient();
      await client.access({ host: 'localhost', port, user: 'ann', password: 'secret' });
      const chunks: Buffer[] = [];
      const sink = new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          done();
        },
      });
      await client.downloadTo(sink, 'readme.txt');
      client.close();
      return Buffer.concat(chunks).toString();
    },
    want: 'read me',
  },
  ldap: {
    settings: {
      mocks: [
        {
          id: 'alice',
          base_dn: 'dc=example,dc=com',
          filter: '(uid=alice)',
          attributes: { mail: ['a@example.com'] },
        },
      ],
    },
    async run(port) {
      const client = new LdapClient({ url: `ldap://localhost:${port}` });
      const { searchEntries } = await client.search('dc=example,dc=com', { filter: '(uid=alice)' });
      await client.unbind();
      return searchEntries.map((entry) => entry['mail']);
    },
    want: ['a@example.com'],
  },
};
