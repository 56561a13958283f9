// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat } from '@backlot/tooling/attack-client';

const withClient = (name, play) => ({
  name,
  async run(port) {
    const client = await connect(port);
    await play(client, port);
    client.close();
  },
});

/** Stores many small items. */
async function fill(client, count) {
  for (let n = 0; n < count; n += 10_000) {
    await client.send(
      Array.from({ length: 10_000 }, (_, k) => `set k${n + k} 0 0 1 noreply\r\nx\r\n`).join(''),
    );
  }
  await client.send('mn\r\n');
  await client.until(/^MN/m);
}

/** The binary header of a request that says too much. */
function lie(opcode, keyLength, bodyLength) {
  const header = Buffer.alloc(24);
  header[0] = 0x80;
  header[1] = opcode;
  header.writeUInt16BE(keyLength, 2);
  header.writeUInt32BE(bodyLength, 8);
  return header;
}

export const attacks = [
  withClient('1,000,000 commands in one pipeline', async (client) => {
    for (let n = 0; n < 10; n += 1) await client.send(repeat('get nothing\r\n', 100_000));
    await client.send('mn\r\n');
    await client.until(/^MN/m);
  }),
  withClient('300,000 meta commands in one pipeline', async (client) => {
    await client.send(repeat('mg nothing v t f c k\r\n', 300_000));
    await client.send('mn\r\n');
    await client.until(/^MN/m);
  }),
  withClient('gets of 10,000 keys, 50 times', async (client) => {
    for (let n = 0; n < 50; n += 1) await client.send(`gets ${Array(10_000).fill('key').join(' ')}\r\n`);
    await client.send('mn\r\n');
    await client.until(/^MN/m);
  }),
  withClient('a line of 500,000 keys', async (client) => {
    await client.send(`get ${Array(500_000).fill('k').join(' ')}\r\n`);
    await client.until(/^END/m);
  }),
  withClient('a line of a megabyte of spaces', async (client) => {
    await client.send(`get ${' '.repeat(1_000_000)}k\r\n`);
    await client.until(/^\w+/m);
  }),
  withClient('metadump and cachedump of 400,000 items', async (client) => {
    await fill(client, 400_000);
    await client.send('lru_crawler metadump all\r\n');
    await client.until(/^END/m);
    await client.send('stats cachedump 1 0\r\n');
    await client.until(/^END/m);
    await client.send('flush_all\r\n');
    await client.until(/^OK/m);
  }),
  withClient('a metadump that nobody reads', async (client) => {
    await fill(client, 100_000);
    client.socket.pause();
    for (let n = 0; n < 20; n += 1) await client.send('lru_crawler metadump all\r\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    client.reset();
  }),
  withClient('a value in 50,000 packets of one byte', async (client) => {
    await client.send('set k 0 0 1000000\r\n');
    for (let sent = 0; sent < 50_000; sent += 1) {
      client.socket.write('x');
      if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    client.reset();
  }),
  {
    name: 'lengths that lie',
    async run(port) {
      for (const bytes of [lie(1, 1, 0xffffffff), lie(0, 0xffff, 0xffff), lie(0xff, 0, 0xffffffff)]) {
        const client = await connect(port);
        await client.send(bytes);
        await client.send(repeat('x', 100_000));
        client.reset();
      }
      const client = await connect(port);
      await client.send('set k 0 0 4294967295\r\n');
      await client.send(repeat('x', 2_000_000));
      client.reset();
    },
  },
];
