import { spawn } from 'node:child_process';
import { describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const versions = ['mqttv31', 'mqttv311', '5'];

describe.each(versions)('mosquitto -V %s', (version) => {
  itWithTool('mosquitto_sub', 'gets answers, retained messages and wills', async () => {
    const { host, port } = await startHost({
      mocks: [
        {
          topic: 'ask',
          response: { topic: 'told', payload: 'you said {{request.payload}}', qos: 2, retain: true },
        },
      ],
    });
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', version];
    const subscribed = (): number =>
      host.journal.list().filter(({ method }) => method === 'SUBSCRIBE').length;
    const watching = runTool('mosquitto_sub', [
      ...common,
      '-t',
      'told',
      '-t',
      'ask',
      '-q',
      '2',
      '-C',
      '2',
      '-v',
      '-W',
      '10',
    ]);
    await eventually(() => subscribed() === 2);
    expect(await runTool('mosquitto_pub', [...common, '-t', 'ask', '-m', 'hello', '-q', '1'])).toMatchObject({
      code: 0,
    });
    const { out } = await watching;
    expect(out.trim().split('\n').sort()).toEqual(['ask hello', 'told you said hello']);
    const retained = await runTool('mosquitto_sub', [...common, '-t', '+/#', '-C', '1', '-v', '-W', '10']);
    expect(retained.out).toBe('told you said hello\n');
  });

  itWithTool('mosquitto_pub', 'sends lines with every QoS', async () => {
    const { host, port } = await startHost();
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', version, '-t', 'lines', '-l'];
    for (const qos of ['0', '1', '2']) {
      const child = spawn('mosquitto_pub', [...common, '-q', qos], { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.end(Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join(''));
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(0);
    }
    await eventually(() => host.kind('mqtt').captures?.values().length === 150);
  });

  itWithTool('mosquitto_sub', 'finds its session again', async () => {
    const { port } = await startHost();
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', version];
    const expiry = version === '5' ? ['-x', '600'] : [];
    const session = [...common, '-i', 'sleeper', '-c', ...expiry, '-t', 'q', '-q', '1', '-W', '10'];
    await runTool('mosquitto_sub', [...session, '-E']);
    await runTool('mosquitto_pub', [...common, '-t', 'q', '-m', 'kept', '-q', '1']);
    expect((await runTool('mosquitto_sub', [...session, '-C', '1'])).out).toBe('kept\n');
  });
});

describe('mosquitto', () => {
  itWithTool('mosquitto_sub', 'carries properties of MQTT 5', async () => {
    const { host, port } = await startHost();
    const common = ['-h', '127.0.0.1', '-p', String(port), '-V', '5'];
    const watching = runTool('mosquitto_sub', [
      ...common,
      '-t',
      'a',
      '-C',
      '1',
      '-F',
      '%p %C %R %D %P %E',
      '-W',
      '10',
    ]);
    await eventually(() => host.journal.list().some(({ method }) => method === 'SUBSCRIBE'));
    const properties = [
      'content-type text/x',
      'response-topic r',
      'correlation-data c',
      'user-property k v',
      'message-expiry-interval 60',
    ];
    await runTool('mosquitto_pub', [
      ...common,
      '-t',
      'a',
      '-m',
      'm',
      ...properties.flatMap((each) => ['-D', 'publish', ...each.split(' ')]),
    ]);
    expect((await watching).out).toBe('m text/x r c k:v 60\n');
  });

  itWithTool('mosquitto_rr', 'asks and gets its answer', async () => {
    const { port } = await startHost({
      mocks: [{ topic: 'ask', response: { payload: 'pong {{request.payload}}' } }],
    });
    const args = [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-V',
      '5',
      '-t',
      'ask',
      '-e',
      'replies',
      '-m',
      '1',
      '-W',
      '10',
    ];
    expect(await runTool('mosquitto_rr', args)).toMatchObject({ code: 0, out: 'pong 1\n' });
  });

  itWithTool('mosquitto_pub', 'is told that its login is wrong', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const args = ['-h', '127.0.0.1', '-p', String(port), '-t', 'a', '-m', 'm', '-u', 'ann'];
    expect((await runTool('mosquitto_pub', [...args, '-P', 'secret'])).code).toBe(0);
    const refused = await runTool('mosquitto_pub', [...args, '-P', 'wrong']);
    expect(refused.err).toContain('bad user name or password');
  });
});
