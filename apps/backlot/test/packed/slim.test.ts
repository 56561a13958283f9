import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listInstalled } from '@backlot/tooling/packed';
import { EXCHANGES } from './exchanges.js';
import { makePlace, PACKED, type Place } from './place.js';

const APP = join(PACKED, 'tarballs', 'backlot-0.1.0.tgz');
const exec = promisify(execFile);

let place: Place;
beforeAll(async () => {
  place = makePlace();
  await place.install('--omit=optional', APP, '@backlot/http', '@backlot/redis', '@backlot/dns');
});
afterAll(() => place.remove());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function backlot(...args: string[]): Promise<Ended> {
  const bin = join(place.path, 'node_modules', '.bin', 'backlot');
  const options = { cwd: place.path, env: { ...process.env, NODE_OPTIONS: '' } };
  try {
    return { code: 0, ...(await exec(bin, args, options)) };
  } catch (error) {
    return error as Ended;
  }
}

describe('the command with some of the protocols', () => {
  it('has no others in its tree', () => {
    const installed = listInstalled(place.path).filter((name) => name.startsWith('@backlot/'));
    expect(installed).toEqual(
      ['core', 'dns', 'http', 'kit', 'management', 'redis', 'webhooks'].map((name) => `@backlot/${name}`),
    );
    expect(listInstalled(place.path)).not.toEqual(expect.arrayContaining(['aedes']));
  });

  it('lists what is there, and what is not', async () => {
    const { code, stdout } = await backlot('plugins');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['http', 'redis', 'dns']),
    );
    expect(stdout).toMatch(/\nNot installed: @backlot\/websocket, .*@backlot\/kafka, /);
    const { stdout: json } = await backlot('plugins', '--json');
    expect((JSON.parse(json) as unknown[]).length).toBe(3);
  });

  it.each([
    ['--only', ['start', '--only=http,kafka']],
    ['a port', ['start', '--kafka-port=0']],
    ['run', ['run', '--only=kafka', '--', 'true']],
  ])('names the package of a protocol that is asked for by %s', async (_, args) => {
    expect(await backlot(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: protocol "kafka" is not installed; install it with "npm install @backlot/kafka"\n',
    });
  });

  it.each(['start', 'validate'])(
    'names the package of each protocol that the file asks %s for',
    async (command) => {
      place.write({ 'backlot.yaml': 'protocols:\n  http: {}\n  kafka: {}\n  amqp: {}\n' });
      expect(await backlot(command)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: [
          'backlot.yaml:3:3: protocols.kafka: protocol "kafka" is not installed; install it with "npm install @backlot/kafka"',
          'backlot.yaml:4:3: protocols.amqp: protocol "amqp" is not installed; install it with "npm install @backlot/amqp"',
          '',
        ].join('\n'),
      });
    },
  );

  it('still means a word that is no protocol', async () => {
    place.write({ 'backlot.yaml': 'protocols:\n  htpp: {}\n' });
    expect((await backlot('validate')).stderr).toContain('unknown protocol "htpp"; did you mean "http"?');
  });

  it('writes a starting file and a schema of what is there', async () => {
    expect(await backlot('init', '--force')).toMatchObject({ code: 0 });
    const { stdout } = await backlot('validate');
    expect(stdout).toMatch(/^backlot\.yaml: valid \(http 2\)/);
    const { stdout: schema } = await backlot('schema');
    const { properties } = JSON.parse(schema) as { properties: { protocols: { properties: object } } };
    expect(Object.keys(properties.protocols.properties)).toEqual(['http', 'redis', 'dns']);
  });

  it('takes a protocol that is installed later, as its message says', async () => {
    const { stderr } = await backlot('start', '--only=nats');
    const [, name = ''] = /"npm install (.*)"/.exec(stderr) ?? [];
    await place.install('--omit=optional', name);
    place.write({
      'nats.yaml': JSON.stringify({
        api: { port: 0 },
        protocols: { nats: { port: 0, ...EXCHANGES['nats']?.settings } },
      }),
    });
    const { stdout } = await backlot('run', '-c', 'nats.yaml', '--', 'sh', '-c', 'echo $NATS_URL');
    expect(stdout).toMatch(/^nats:\/\/localhost:\d+$/m);
  });
});
