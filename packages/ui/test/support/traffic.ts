import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, type ToolResult } from '@backlot/conformance';
import type { Started } from './start.js';

/** The programs that {@link sendTraffic} runs. */
export const TOOLS = 'chromium curl redis-cli swaks mosquitto_pub kcat amqp-publish dig ldapsearch';

async function run(tool: string, args: readonly string[], input?: string): Promise<ToolResult> {
  const result = await runTool(tool, args, input === undefined ? {} : { input });
  if (result.code !== 0) throw new Error(`${tool} ended with ${result.code}: ${result.err}`);
  return result;
}

/** Sends something of each of nine kinds, with the clients that people use. */
export async function sendTraffic({ port }: Started): Promise<void> {
  const base = `http://127.0.0.1:${port('http')}`;
  await run('curl', ['-s', `${base}/products`]);
  await run('curl', ['-s', `${base}/prodcts`]);
  await run('curl', [
    '-s',
    `${base}/payments`,
    '-H',
    'content-type: application/json',
    '-d',
    '{"amount": 4200}',
  ]);
  await run('redis-cli', ['-p', String(port('redis')), 'get', 'greeting']);
  await run('swaks', [
    '--server',
    `127.0.0.1:${port('smtp')}`,
    '--from',
    'ann@example.com',
    '--to',
    'bob@example.com',
    '--header',
    'Subject: Your invoice 4711',
    '--body',
    'Please find it attached.',
  ]);
  await run('mosquitto_pub', [
    '-h',
    '127.0.0.1',
    '-p',
    String(port('mqtt')),
    '-t',
    'sensors/7/temp',
    '-m',
    '{"celsius": 21.5}',
  ]);
  await run('kcat', ['-P', '-b', `127.0.0.1:${port('kafka')}`, '-t', 'payments', '-K:'], 'k1:{"id": 7}\n');
  await run('amqp-publish', [
    '--url',
    `amqp://127.0.0.1:${port('amqp')}`,
    '-r',
    'orders',
    '-b',
    '{"id": 42}',
  ]);
  await run('dig', ['+short', '@127.0.0.1', '-p', String(port('dns')), 'www.example.com']);
  await run('ldapsearch', [
    '-x',
    '-H',
    `ldap://127.0.0.1:${port('ldap')}`,
    '-b',
    'dc=example,dc=org',
    '(uid=ada)',
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'backlot-file-'));
  try {
    const file = join(folder, 'report.txt');
    await writeFile(file, 'quarterly');
    await run('curl', ['-s', '-T', file, `ftp://127.0.0.1:${port('ftp')}/report.txt`]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
