import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { eventually, itWithTool } from '@backlot/conformance';
import { BINARY_CONVERSATIONS } from './binary-conversations.js';
import { CONVERSATIONS } from './conversations.js';
import { afterThis, converse, startHost } from './support.js';

/** Starts memcached on a free port that it chooses itself; it is stopped after the test. */
async function startReference(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-memcached-'));
  // It writes the file when it listens.
  const file = join(folder, 'port');
  // Its threads in the background hold items now and then, and what it answers depends on that.
  const quiet = ['-o', 'no_lru_crawler,no_lru_maintainer'];
  const child = spawn('memcached', ['-l', '127.0.0.1', '-p', '-1', '-U', '0', '-u', 'root', ...quiet], {
    stdio: 'ignore',
    env: { ...process.env, MEMCACHED_PORT_FILENAME: file },
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  afterThis(async () => {
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true });
  });
  await eventually(() => existsSync(file));
  return Number(/^TCP INET: (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
}

/**
 * A number that gets shorter stays as long as it was in memcached, with spaces at its end, unless something else holds
 * the item at that moment, such as an answer that has not gone out yet. Its protocol leaves that open, so spaces behind
 * a number do not count.
 */
function withoutPadding(answer: string): string {
  return answer.replaceAll(
    /^(VALUE \S+ \d+|VA) \d+(.*)\r\n(\d+) +\r$/gm,
    (_, head: string, flags: string, number: string) =>
      `${head} ${number.length}${flags.replace(/ s\d+/, ` s${number.length}`)}\r\n${number}\r`,
  );
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
        answers.push(withoutPadding(withoutCas(await converse(each, conversation))));
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
