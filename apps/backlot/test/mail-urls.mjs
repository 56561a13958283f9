// Sends and reads a mail by what `backlot run` has told, as programs do that know urls alone.
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';

const { SMTP_URL = '', IMAP_URL = '' } = process.env;
const transport = createTransport(SMTP_URL);
const mail = { from: 'shop@example.com', to: 'ann@example.com', subject: 'by node', text: 'Hi' };
const secured = createTransport({ url: SMTP_URL, requireTLS: true });
await transport.sendMail(mail);
await secured.sendMail({ ...mail, subject: 'required' });

const { protocol, hostname, port } = new URL(IMAP_URL);
const client = new ImapFlow({
  host: hostname,
  port: Number(port),
  secure: protocol === 'imaps:',
  auth: { user: 'ann@example.com', pass: 'any' },
  logger: false,
});
await client.connect();
const lock = await client.getMailboxLock('INBOX');
const subjects = [];
for await (const { envelope } of client.fetch('1:*', { envelope: true })) subjects.push(envelope?.subject);
lock.release();
console.log(JSON.stringify({ SMTP_URL, IMAP_URL, secure: client.secureConnection, subjects }));
await client.logout();
