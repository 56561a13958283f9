// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat } from '@backlot/tooling/attack-client';

const MEBIBYTE = 1024 * 1024;
const REPLY = /^\d{3} .*\r\n/m;

/** Logs in, and gives a function that says a command and waits for its reply. */
async function open(port) {
  const client = await connect(port);
  await client.until(REPLY);
  const say = async (command) => {
    await client.send(`${command}\r\n`);
    return client.until(REPLY);
  };
  await say('USER a');
  await say('PASS b');
  return { client, say };
}

/** Opens a data connection; the port is read from the reply, which is asked for on a socket of its own. */
async function openData(client) {
  let reply = '';
  const listen = (chunk) => {
    reply += chunk.toString('latin1');
  };
  client.socket.on('data', listen);
  await client.send('EPSV\r\n');
  await client.until(REPLY);
  client.socket.off('data', listen);
  return connect(Number(/\|(\d+)\|\)/.exec(reply)?.[1] ?? 0));
}

async function upload(client, name, bytes, pieces = 1) {
  const data = await openData(client);
  await client.send(`STOR ${name}\r\n`);
  await client.until(/^150 /m);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    await data.send(bytes.subarray(at, at + size));
    if (pieces > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  data.socket.end();
  await client.until(/^(?:226|4|5)/m);
}

async function download(client, command) {
  const data = await openData(client);
  await client.send(`${command}\r\n`);
  await data.closed();
  data.close();
  await client.until(/^(?:226|4|5)/m);
}

const withClient = (name, play) => ({
  name,
  async run(port) {
    const { client, say } = await open(port);
    await play(client, say, port);
    client.close();
  },
});

export const attacks = [
  withClient('100,000 directories listed and renamed', async (client, say) => {
    await say('MKD many');
    for (let n = 0; n < 100_000; n += 10_000) {
      await client.send(Array.from({ length: 10_000 }, (_, k) => `MKD many/${n + k}\r\n`).join(''));
    }
    await client.send('MKD behind-the-others\r\n');
    await client.until(/behind-the-others.*\r\n/);
    for (const command of ['LIST many', 'NLST many', 'MLSD many']) await download(client, command);
    await say('STAT many');
    await say('RNFR many');
    await say(`RNTO more-${Math.random()}`);
  }),
  withClient('2000 files listed and renamed', async (client, say) => {
    await say('MKD files');
    for (let n = 0; n < 2000; n += 1) await upload(client, `files/${n}`, Buffer.from('x'));
    await download(client, 'LIST files');
    await say('RNFR files');
    await say(`RNTO renamed-${Math.random()}`);
  }),
  withClient('24 MiB of line feeds up and down as text', async (client, say) => {
    await say('TYPE A');
    await upload(client, 'lines', repeat('\n', 24 * MEBIBYTE));
    await say('SIZE lines');
    await download(client, 'RETR lines');
    await say('DELE lines');
  }),
  withClient('24 MiB of zeros up and down', async (client, say) => {
    await upload(client, 'zeros', Buffer.alloc(24 * MEBIBYTE));
    await download(client, 'RETR zeros');
    await say('DELE zeros');
  }),
  withClient('24 MiB of braces', async (client, say) => {
    await upload(client, 'braces', repeat('{{', 24 * MEBIBYTE));
    await say('DELE braces');
  }),
  withClient('a file in 20,000 packets of one byte', async (client, say) => {
    await upload(client, 'bytes', Buffer.alloc(20_000, 'x'), 20_000);
    await say('DELE bytes');
  }),
  withClient('100,000 commands in one pipeline', async (client) => {
    await client.send(repeat('NOOP\r\n', 100_000));
    await client.send('QUIT\r\n');
    await client.closed();
  }),
  withClient('a path of 2000 names', async (client, say) => {
    await say(`MKD ${'a/'.repeat(2000)}`);
    await say(`CWD ${'../'.repeat(1300)}`);
    await say(`RETR ${'a/../'.repeat(800)}`);
  }),
  withClient('ports of others', async (client, say) => {
    for (const line of ['PORT 8,8,8,8,0,80', 'PORT 127,0,0,2,200,200', 'EPRT |2|::ffff:192.0.2.1|50000|']) {
      await say(line);
      await say('LIST');
    }
  }),
  {
    name: '1200 passive ports that nobody connects to',
    async run(port) {
      const all = [];
      for (let n = 0; n < 1200; n += 1) {
        const opened = await open(port);
        all.push(opened.client);
        await opened.say('EPSV');
      }
      for (const client of all) client.reset();
    },
  },
];
