import { expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

it('bounds: LCS, BITOP and BITFIELD refuse what would take too long', async () => {
  const { port } = await startHost({ mode: 'stateful', max_request_bytes: 1_048_576 });
  const client = new RawClient(port);
  const long = 'x'.repeat(1_000);
  await client.ask(`MSET a ${long} b ${long}`);
  expect(await client.ask('LCS a b')).toBe(
    '-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len\r\n',
  );
  await client.ask('SETBIT big 8388000 1');
  const keys = ' big'.repeat(1_100);
  expect(await client.ask(`BITOP OR d${keys}`)).toMatch(/^-ERR the strings have more than/);
  expect(await client.ask(`BITFIELD f${' GET u8 0'.repeat(4_097)}`)).toMatch(/^-ERR a command has 4096/);
  expect(await client.ask(`SORT l${' GET #'.repeat(257)}`)).toMatch(/^-ERR a command has 256 patterns/);
  expect(await client.ask('BITFIELD f SET u8 8388608 1')).toMatch(/^-ERR bit offset/);
});

it('MEMORY and OBJECT tell what is in use', async () => {
  const { port } = await startHost({ mode: 'stateful' });
  const client = new RawClient(port);
  await client.ask('SET a 1');
  expect(await client.ask('MEMORY STATS')).toContain('$10\r\nkeys.count\r\n:1\r\n');
  expect(await client.ask('MEMORY DOCTOR')).toMatch(/bytes of data are in use/);
  expect(await client.ask('OBJECT FREQ a')).toMatch(/^-ERR An LFU maxmemory policy/);
  expect(await client.ask('OBJECT FREQ b')).toBe('$-1\r\n');
});

itWithTool('redis-server', 'HyperLogLogs of the real server are read, and the other way round', async () => {
  const { port } = await startHost({ mode: 'stateful' });
  const ours = new RawClient(port);
  const theirs = new RawClient(await startReference());
  const wanted = Array.from({ length: 50 }, (_, n) => `element-${n}`).join(' ');
  for (const [from, to] of [
    [theirs, ours],
    [ours, theirs],
  ] as const) {
    await from.ask(`PFADD h ${wanted}`);
    const [, value = ''] = /^\$\d+\r\n([^]*)\r\n$/.exec(await from.ask('GET h')) ?? [];
    to.send(`*3\r\n$3\r\nSET\r\n$4\r\nsent\r\n$${value.length}\r\n${value}\r\n`);
    expect(await to.reply()).toBe('+OK\r\n');
    expect(await to.ask('PFCOUNT sent')).toBe(':50\r\n');
    expect(await to.ask(`PFADD sent ${wanted}`)).toBe(':0\r\n');
  }
});
