import { spawn } from 'node:child_process';
import net from 'node:net';
import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { BINARY_CONVERSATIONS } from './binary-conversations.js';
import { CONVERSATIONS } from './conversations.js';
import { afterThis, converse, startHost } from './support.js';

/** Starts memcached on a free port; it is stopped after the test. */
async function startReference(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn('memcached', ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-u', 'root'], {
    stdio: 'ignore',
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  afterThis(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  for (let tries = 0; tries < 1_000; tries += 1) {
    if ((await converse(port, 'version\r\n')).startsWith('VERSION')) return port;
  }
  throw new Error('memcached did not start');
}

/** Unique numbers count all that was ever stored: which one it is says nothing. */
function withoutCas(answer: string): string {
  return answer
    .replaceAll(/^(VALUE \S+ \d+ \d+) \d+\r$/gm, '$1 CAS\r')
    .replaceAll(/ c\d+/g, ' cCAS')
    .replaceAll(/ cas=\d+/g, ' cas=CAS');
}

/** Sets the unique numbers in the headers of answers to 1. */
function withoutBinaryCas(answer: string): string {
  const bytes = Buffer.from(answer, 'latin1');
  for (let at = 0; at + 24 <= bytes.length; at += 24 + bytes.readUInt32BE(at + 8)) {
    if (bytes.readBigUInt64BE(at + 16) !== 0n) bytes.writeBigUInt64BE(1n, at + 16);
  }
  return bytes.toString('latin1');
}

function hex(answer: string): string {
  return shorten(Buffer.from(answer, 'latin1').toString('hex'));
}

function shorten(text: string): string {
  return text.length > 2_000 ? `${text.slice(0, 500)} [${text.length}] ${text.slice(-500)}` : text;
}

describe('memcached', () => {
  itWithTool('memcached', 'answers the same over the text protocol', async () => {
    const { port } = await startHost();
    const reference = await startReference();
    const differences: unknown[] = [];
    for (const conversation of CONVERSATIONS) {
      const answers: string[] = [];
      for (const each of [port, reference]) {
        await converse(each, 'flush_all\r\n');
        answers.push(withoutCas(await converse(each, conversation)));
      }
      const [ours, theirs] = answers;
      if (ours !== theirs) {
        differences.push({ conversation, ours, theirs });
      }
    }
    expect(
      JSON.stringify(
        differences,
        (_, value: unknown) => (typeof value === 'string' ? shorten(value) : value),
        1,
      ),
    ).toBe('[]');
  });

  itWithTool('memcached', 'answers the same over the binary protocol', async () => {
    const { port } = await startHost();
    const reference = await startReference();
    for (const [name, conversation] of BINARY_CONVERSATIONS) {
      const answers: string[] = [];
      for (const each of [port, reference]) {
        await converse(each, 'flush_all\r\n');
        answers.push(withoutBinaryCas(await converse(each, conversation)));
      }
      const [ours = '', theirs = ''] = answers;
      expect([name, hex(ours)]).toEqual([name, hex(theirs)]);
    }
  });
});
