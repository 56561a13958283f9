import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, runCommand, startCommand, type StartedServer, useOneProcess } from './command.js';

const WEATHER = `
service:
  name: weather
  title: Weather
  summary: Forecasts by city.
  path: /weather
  hosts: [weather.localhost]
  port: 18099
  variables: { WEATHER_URL: '{{url}}', WEATHER_SHARED: '{{shared_url}}/v1', WEATHER_PLACE: '{{host}} {{port}}', WEATHER_ADDRESS: '{{address_url}}', WEATHER_PARTS: '{{scheme}}://key@{{host}}:{{port}}{{path}}/1' }
vars: { weather: { unit: C } }
collections:
  weather:cities: { rows: [{ id: bern, degrees: 21 }, { id: rome, degrees: 30 }] }
protocols:
  http:
    mocks:
      - id: weather:page
        request: { path: /weather/page }
        response: { body: { file: page.txt } }
      - id: weather:made
        request: { path: /weather/made }
        respond: { module: ./made.mjs, export: make }
      - id: weather:outage
        priority: 100
        state: { key: weather:scenario, value: outage }
        request: { path: /weather/* }
        response: { status: 503 }
      - id: weather:city
        request: { path: '/weather/v1/{city}' }
        collection: { name: 'weather:cities', get: '{{request.params.city}}' }
        response: { json: { city: '{{row}}', unit: '{{vars.weather.unit}}' } }
scenarios:
  - id: weather:outage
    description: Every call is answered with 503.
    patches: [{ mock_id: weather:outage, merge: { state: null } }]
`;

const runTogether = useOneProcess();
let folder: ReturnType<typeof makeFolder> | undefined;
let server: StartedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
  folder?.remove();
  folder = undefined;
});

/** A folder with a service of its own, and what else is given. */
function place(files: Readonly<Record<string, string>> = {}): string {
  folder = makeFolder();
  const all = {
    'weather/service.yaml': WEATHER,
    'weather/page.txt': 'a page',
    'weather/made.mjs': "export const make = ({ path }) => ({ body: 'made for ' + path });",
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), content);
  }
  return folder.path;
}

const FREE = ['--api-port=0', '--http-port=0', '--weather-port=0'];
const read = async (url: string, init: RequestInit = {}): Promise<unknown> => (await fetch(url, init)).json();
const problems = async (text: string, files: Readonly<Record<string, string>> = {}): Promise<string> => {
  const cwd = place({ 'backlot.yaml': text, ...files });
  const { code, stderr } = await runTogether(['validate'], { cwd });
  expect(code).toBe(1);
  return stderr;
};

describe('a service of a folder', () => {
  it('is started by a flag, below its path, under its host name and on its port', async () => {
    const cwd = place();
    server = await startCommand(['--service', './weather', ...FREE], { cwd });
    const { http = '', weather = '' } = server.urls;
    expect(weather).not.toBe('');
    const bern = { city: { id: 'bern', degrees: 21 }, unit: 'C' };
    expect(await read(`${http}/weather/v1/bern`)).toEqual(bern);
    expect(await read(`${weather}/v1/bern`)).toEqual(bern);
    expect(await (await fetch(`${weather}/page`)).text()).toBe('a page');
    expect(await (await fetch(`${weather}/made`)).text()).toBe('made for /weather/made');
    const unknown = await fetch(`${weather}/v2`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({
      error: 'the service weather knows no such path',
      known: '/page, /made, /v1/{city}',
    });
  });

  it('is changed by what the file says', async () => {
    const cwd = place({
      'backlot.yaml': `
services:
  ./weather:
    vars: { unit: K }
    rows: { cities: [{ id: bern, degrees: 3 }, { id: oslo, degrees: -4 }] }
    mocks:
      - { id: weather:page, request: { path: /weather/page }, response: { body: another page } }
      - { id: mine, request: { path: /weather/v1/rome }, response: { json: { mine: true } } }
protocols: { http: { mocks: [{ id: first, request: { path: /weather/v1/first }, response: { json: { first: true } } }] } }
`,
    });
    server = await startCommand(FREE, { cwd });
    const { weather = '' } = server.urls;
    expect(await read(`${weather}/v1/bern`)).toEqual({ city: { id: 'bern', degrees: 3 }, unit: 'K' });
    expect(await read(`${weather}/v1/oslo`)).toMatchObject({ city: { degrees: -4 } });
    expect(await read(`${weather}/v1/rome`)).toEqual({ mine: true });
    expect(await read(`${weather}/v1/first`)).toEqual({ first: true });
    expect(await (await fetch(`${weather}/page`)).text()).toBe('another page');
  });

  it('has scenarios that are active from the start', async () => {
    const cwd = place({ 'backlot.yaml': 'services: { ./weather: { scenarios: [outage] } }\n' });
    server = await startCommand(FREE, { cwd });
    expect((await fetch(`${server.urls['weather']}/v1/bern`)).status).toBe(503);
    await fetch(`${server.urls['api']}/api/scenarios/weather:outage/deactivate`, { method: 'POST' });
    expect((await fetch(`${server.urls['weather']}/v1/bern`)).status).toBe(200);
  });

  it('tells the command of run where it is, and an unknown path counts as unmatched', async () => {
    const cwd = place();
    const script =
      "fetch(process.env.WEATHER_URL + '/v9').then(() => console.log(process.env.WEATHER_URL, process.env.WEATHER_SHARED, process.env.WEATHER_PLACE, process.env.WEATHER_ADDRESS, process.env.WEATHER_PARTS))";
    const args = ['--service', './weather', '--', process.execPath, '-e', script];
    const ran = await runCommand(['run', ...args], { cwd });
    expect(ran.stdout).toMatch(
      /^http:\/\/(\S+):(\d+) http:\/\/\1:\d+\/weather\/v1 \1 \2 http:\/\/127.0.0.1:\2 http:\/\/key@\1:\2\/1\n$/,
    );
    expect(ran.code).toBe(0);
    const strict = await runCommand(['run', '--fail-on-unmatched', ...args], { cwd });
    expect(strict.code).toBe(1);
    expect(strict.stderr).toContain('/weather/v9');
  });

  it('may come from a package', async () => {
    const cwd = place({
      'backlot.yaml': "services: ['@acme/weather']\n",
      'node_modules/@acme/weather/package.json':
        '{"name": "@acme/weather", "backlot": {"service": "./a/service.yaml"}}',
      'node_modules/@acme/weather/a/service.yaml': WEATHER,
      'node_modules/@acme/weather/a/page.txt': 'a page',
      'node_modules/@acme/weather/a/made.mjs': 'export const make = () => ({});',
      'node_modules/none/package.json': '{"name": "none"}',
    });
    expect(await runTogether(['validate'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(join(cwd, 'backlot.yaml'), 'services: [none]\n');
    expect((await runTogether(['validate'], { cwd })).stderr).toContain('package "none" brings no service');
  });
});

describe('what is wrong', () => {
  it.each([
    ['services: [strpe]', 'backlot.yaml:1:12: services[0]: unknown service "strpe"; did you mean "stripe"?'],
    ['services: { stripe: { prt: 1 } }', 'services.stripe.prt: unknown field "prt"; did you mean "port"?'],
    [
      'services: { stripe: { rows: { custmers: [] } } }',
      'unknown collection "custmers"; did you mean "customers"?',
    ],
    ['services: { ./weather: { scenarios: [outag] } }', 'unknown scenario "outag"; did you mean "outage"?'],
    ['services: 5', 'services: must be an object, got 5'],
    ['services: [./nowhere]', 'service "./nowhere" is not there'],
    [
      'services: { ./weather: { mocks: [{ id: x, request: { pth: /x } }] } }',
      'services["./weather"].mocks[0].request.pth: unknown field "pth"; did you mean "path"?',
    ],
    [
      'services: { ./weather: { rows: { cities: [{ id: a }, { id: a }] } } }',
      'services["./weather"].rows.cities[1]',
    ],
  ])('in %s is said with its place', async (text, message) => {
    expect(await problems(`${text}\n`)).toContain(message);
  });

  it.each([
    ['name: weather', 'name: Weather', 'service.name: '],
    ['path: /weather\n', 'path: weather\n', 'service.path: '],
    ['- id: weather:city', '- id: city', '"city" must begin with "weather:"'],
    ["path: '/weather/v1/{city}'", "path: '/v1/{city}'", 'is not below "/weather"'],
    ['  weather:cities:', '  cities:', '"cities" must begin with "weather:"'],
    ['vars: { weather:', 'vars: { other:', 'put all vars of the service under "weather"'],
    ['title: Weather', 'titel: Weather', 'unknown field "titel"; did you mean "title"?'],
    ['page.txt }', 'none.txt }', '"none.txt" is not there'],
    ['export: make', 'export: mak', 'exports no function "mak"'],
    ['response: { status: 503 }', 'response: { status: 5 }', 'service "weather": '],
  ])('in a service.yaml, %s as %s, is said with its place', async (right, wrong, message) => {
    const text = await problems('services: [./weather]\n', {
      'weather/service.yaml': WEATHER.replace(right, wrong),
    });
    expect(text).toContain(message);
    expect(text).toContain('service.yaml');
  });

  it('of a flag is an error of the command', async () => {
    const { code, stderr } = await runCommand(['start', '--service', 'strpe'], { cwd: place() });
    expect(code).toBe(1);
    expect(stderr).toContain('unknown service "strpe"; did you mean "stripe"?');
  });
});

describe('backlot services', () => {
  it('lists them, and shows one and its scenarios', async () => {
    const list = await runTogether(['services']);
    expect(list.stdout).toMatch(/^SERVICE +PATH +PORT +WHAT IT IS\n(?:.*\n)*stripe +\/stripe +12111 +/);
    const { stdout } = await runTogether(['services', '--json']);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'stripe', port: 12_111 }));
    expect((await runTogether(['services', 'show', 'stripe'])).stdout).toContain(
      'id: stripe:customers.create',
    );
    expect((await runTogether(['services', 'show', 'stripe', '--scenarios'])).stdout).toMatch(
      /stripe:outage +Every call/,
    );
  });

  it('ejects what services share, which needs no package then', async () => {
    const cwd = place();
    // Each shares another folder; nothing of this project can be imported from there.
    const names = ['etcd', 'oidc', 'aws-s3', 'openai'];
    for (const name of names)
      expect((await runTogether(['services', 'eject', name], { cwd })).stderr).toBe('');
    const services = names.map((name) => `./services/${name}`);
    const needing = await runCommand(['services', 'eject', 'kubernetes'], { cwd });
    expect(needing.stdout).toContain('its functions need yaml in the project: npm install --save-dev yaml\n');
    writeFileSync(join(cwd, 'ejected.json'), JSON.stringify({ services }));
    const checked = await runTogether(['validate', 'ejected.json'], { cwd });
    expect([checked.code, checked.stderr]).toEqual([0, '']);
    expect(checked.stdout).toContain('ejected.json: valid');
  });

  it('refuses a port of its own for what a service has on the port of HTTP', async () => {
    const cwd = place();
    const file = { protocols: { websocket: { port: 8081 } }, services: ['slack'] };
    writeFileSync(join(cwd, 'own.json'), JSON.stringify(file));
    const refused = await runTogether(['validate', 'own.json'], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr + refused.stdout).toContain('protocols.websocket.port');
    expect(refused.stderr + refused.stdout).toContain('slack');
  });

  it('ejects one into the project, which then runs as it did, and overwrites nothing', async () => {
    const cwd = place();
    const ejected = await runTogether(['services', 'eject', 'openai'], { cwd });
    expect(ejected.stdout).toContain("services: ['./services/openai/service.yaml']");
    expect(existsSync(join(cwd, 'services/openai/test'))).toBe(false);
    expect(readFileSync(join(cwd, 'services/openai/chat.mjs'), 'utf8')).toContain(
      "from './shared/llm/index.mjs'",
    );
    const again = await runTogether(['services', 'eject', 'openai'], { cwd });
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('is there already');
    await runTogether(['services', 'eject', 'stripe'], { cwd });
    server = await startCommand(
      ['--service', './services/stripe', '--stripe-port=0', '--api-port=0', '--http-port=0'],
      { cwd },
    );
    const headers = { authorization: 'Bearer sk_test_1' };
    expect(await read(`${server.urls['stripe']}/v1/customers`, { headers })).toMatchObject({
      object: 'list',
      data: [],
    });
  });
});
