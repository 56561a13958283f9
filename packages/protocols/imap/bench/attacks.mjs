// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat, tlsAttacks } from '@backlot/tooling/attack-client';

const MEBIBYTE = 1024 * 1024;
const HEAD = 'From: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\nMIME-Version: 1.0\r\n';

/** Logs in, and gives a function that says a command and waits for its end. */
async function open(port, mailbox) {
  const client = await connect(port);
  await client.until(/^\* OK/m);
  const say = async (command) => {
    await client.send(`t ${command}\r\n`);
    return client.until(/^t (?:OK|NO|BAD).*\r\n|^\* BYE/m);
  };
  await say('LOGIN a b');
  if (mailbox !== undefined) {
    await say(`CREATE ${mailbox}`);
    await say(`SELECT ${mailbox}`);
  }
  return { client, say };
}

async function append(client, mailbox, message) {
  await client.send(`a APPEND ${mailbox} {${message.length}}\r\n`);
  await client.until(/^\+ |^a /m);
  await client.send(message);
  await client.send('\r\n');
  await client.until(/^a (?:OK|NO|BAD)/m);
}

/** Appends one message of its own, and asks for all that is made of it. */
const ofMessage = (name, make) => ({
  name: `message: ${name}`,
  async run(port) {
    const mailbox = `attack-${Math.random().toString(36).slice(2)}`;
    const { client, say } = await open(port, mailbox);
    await append(client, mailbox, Buffer.concat(make().map((piece) => Buffer.from(piece, 'latin1'))));
    await say('FETCH 1:* (ENVELOPE BODYSTRUCTURE BODY BODY.PEEK[HEADER.FIELDS (To)] BODY.PEEK[1])');
    await say('SEARCH TEXT needle');
    await say('SEARCH BODY needle FROM x');
    await say(`DELETE ${mailbox}`);
    client.close();
  },
});

/** Fills a mailbox with small messages, and says something. */
const ofMany = (name, count, play) => ({
  name: `${count} messages: ${name}`,
  async run(port) {
    const mailbox = `attack-${Math.random().toString(36).slice(2)}`;
    const { client, say } = await open(port, mailbox);
    await append(client, mailbox, Buffer.from(`${HEAD}\r\nsmall\r\n`));
    for (let held = 1; held < count; held *= 2)
      await say(`COPY 1:${Math.min(held, count - held)} ${mailbox}`);
    await play(say, mailbox);
    await say(`DELETE ${mailbox}`);
    client.close();
  },
});

const typed = (type, unit, bytes) => [
  `${HEAD}Content-Type: ${type}\r\n\r\n`,
  repeat(unit, Math.floor(bytes / unit.length)),
];

export const attacks = [
  ofMessage('15 MiB of empty lines', () => typed('text/plain', '\r\n', 15 * MEBIBYTE)),
  ofMessage('15 MiB of line feeds', () => typed('text/plain', '\n', 15 * MEBIBYTE)),
  ofMessage('15 MiB of quoted-printable', () => [
    `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n`,
    repeat(`${'=41'.repeat(25)}\r\n`, 200_000),
  ]),
  ofMessage('500,000 empty parts', () => typed('multipart/mixed; boundary=b', '--b\r\n\r\n\r\n', 4_500_000)),
  ofMessage('15 MiB of dashes', () => typed('multipart/mixed; boundary=b', '--b-\n', 15 * MEBIBYTE)),
  ofMessage('boundaries that never come', () => [
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n`,
    '--b\r\nContent-Type: multipart/mixed; boundary=never\r\n\r\n'.repeat(900),
    repeat('x', 14 * MEBIBYTE),
  ]),
  ofMessage('100,000 messages within each other', () =>
    typed('message/rfc822', 'Content-Type: message/rfc822\r\n\r\n', 3_200_000),
  ),
  ofMessage('500,000 header lines', () => [HEAD, repeat('X-A: b\r\n', 500_000), '\r\nx']),
  ofMessage('a header of 15 MiB', () => [`${HEAD}To: `, repeat('x@y.z, ', 2_000_000), '\r\n\r\nx']),
  ofMessage('100,000 parameters', () => [
    `${HEAD}Content-Type: text/plain`,
    repeat('; a=b', 100_000),
    '\r\n\r\nx',
  ]),
  ofMany('everything of everything', 10_000, (say) =>
    say('FETCH 1:* (UID FLAGS ENVELOPE BODYSTRUCTURE BODY.PEEK[])'),
  ),
  ofMany('a text in all', 10_000, (say) => say('SEARCH TEXT needle')),
  ofMany('1000 criteria', 10_000, (say) => say(`SEARCH${' TEXT x'.repeat(1000)}`)),
  ofMany('6000 sequence sets', 10_000, (say) => say(`SEARCH${' OR 1:* 1:*'.repeat(3000)}`)),
  ofMany('1:* 10,000 times', 10_000, (say) => say(`FETCH ${Array(10_000).fill('1:*').join(',')} FLAGS`)),
  ofMany('9000 items of STATUS', 100_000, (say, mailbox) =>
    say(`STATUS ${mailbox} (${Array(9000).fill('UNSEEN').join(' ')})`),
  ),
  ofMany('9000 items of FETCH', 1000, (say) => say(`FETCH 1:* (${Array(9000).fill('BODY').join(' ')})`)),
  ofMany('15,000 flags', 100, (say) =>
    say(`STORE 1:* +FLAGS (${Array.from({ length: 12_000 }, (_, n) => n.toString(36)).join(' ')})`),
  ),
  {
    name: 'flags of 10,000 messages, told to 50 clients',
    async run(port) {
      const mailbox = `attack-${Math.random().toString(36).slice(2)}`;
      const { client, say } = await open(port, mailbox);
      await append(client, mailbox, Buffer.from(`${HEAD}\r\nsmall\r\n`));
      for (let held = 1; held < 10_000; held *= 2)
        await say(`COPY 1:${Math.min(held, 10_000 - held)} ${mailbox}`);
      const others = await Promise.all(Array.from({ length: 50 }, () => open(port, mailbox)));
      for (const other of others) {
        await other.client.send('i IDLE\r\n');
        await other.client.until(/^\+ /m);
      }
      await say('STORE 1:* +FLAGS (\\Flagged)');
      for (const other of others) other.client.reset();
      await say(`DELETE ${mailbox}`);
      client.close();
    },
  },
  {
    name: '2000 mailboxes and hard patterns',
    async run(port) {
      const { client, say } = await open(port);
      const deep = Array(100).fill('a').join('/');
      let commands = '';
      for (let n = 0; n < 2000; n += 1) commands += `c CREATE ${deep}/${n}\r\n`;
      await client.send(commands);
      await say('NOOP');
      await say(`LIST "" ${'%a'.repeat(400)}b`);
      await say(`LIST "" ${'*a'.repeat(400)}b`);
      await say('LIST "" *');
      await say(`RENAME a z`);
      commands = '';
      for (let n = 0; n < 2000; n += 1) commands += `d DELETE z${deep.slice(1)}/${n}\r\n`;
      await client.send(commands);
      await say('NOOP');
      client.close();
    },
  },
  {
    name: '100,000 commands in one pipeline',
    async run(port) {
      const { client } = await open(port, 'INBOX');
      await client.send(repeat('p NOOP\r\n', 100_000));
      await client.send('q LOGOUT\r\n');
      await client.closed();
      client.close();
    },
  },
  {
    name: 'literals that lie',
    async run(port) {
      for (const literal of [
        '{4294967295}',
        '{99999999999999999999}',
        '{4294967295+}',
        '{-1}',
        '{16777216}',
      ]) {
        const { client } = await open(port, 'INBOX');
        await client.send(`a APPEND INBOX ${literal}\r\n`);
        await client.until(/^(?:a|\*|\+) /m);
        client.reset();
      }
    },
  },
];

export const further = [
  { settings: { tls: { mode: 'implicit' } }, attacks: tlsAttacks('TLS', { speech: 'a NOOP\r\n' }) },
  {
    settings: { tls: { mode: 'starttls' } },
    attacks: tlsAttacks('STARTTLS', { speech: 'b NOOP\r\n', upgrade: ['a STARTTLS'] }),
  },
];
