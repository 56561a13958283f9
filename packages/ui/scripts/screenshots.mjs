// Makes the pictures of the docs: `node packages/ui/scripts/screenshots.mjs [folder]`, after a build. It needs Chromium and the clients below.
// They are made anew at a release, where they show something that has changed: every one stays in the history of the repository.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { listPictures, LOOKS, SCENES } from './scenes.mjs';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Where they come to stand: the images of the docs, unless a folder is named. */
const IMAGES = process.argv[2] ?? here('../../../docs/images');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

const server = spawn(
  process.execPath,
  [here('../../../apps/backlot/bin/backlot.js'), 'start', '-c', here('demo.yaml'), '--api-port', '0'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
/** @type {Record<string, URL>} */
const urls = {};
for await (const line of createInterface({ input: server.stdout })) {
  if (!line.startsWith('ready ')) continue;
  for (const pair of line.slice('ready '.length).split(' ')) {
    const [kind, url] = pair.split('=');
    urls[kind] = new URL(url.includes('://') ? url : `tcp://${url}`);
  }
  break;
}
server.stdout.resume();

async function sendTraffic() {
  const http = urls.http.href;
  for (const path of ['products', 'products/1', 'products', 'products/2', 'prodcts'])
    await run('curl', ['-s', http + path]);
  await run('curl', ['-s', '-d', '{"amount": 4200, "currency": "eur"}', `${http}payments`]);
  await run('curl', ['-s', '-X', 'PUT', `${http}payments`]);
  for (const command of [
    ['get', 'greeting'],
    ['set', 'user:9', 'Linus'],
    ['get', 'flag:beta'],
  ])
    await run('redis-cli', ['-p', urls.redis.port, ...command]);
  for (const [to, subject, html] of [
    [
      'bob@example.com',
      'Your invoice 4711',
      '<h1>Invoice 4711</h1><p>Dear Bob, your order <b>no. 42</b> has been shipped.</p>',
    ],
    [
      'grace@example.com',
      'Welcome to the shop',
      '<h1>Welcome, Grace!</h1><p>Thank you for joining. <a href="#">Confirm your address</a></p>',
    ],
  ])
    await run('swaks', [
      '--server',
      `127.0.0.1:${urls.smtp.port}`,
      '--from',
      'shop@example.com',
      '--to',
      to,
      '--header',
      `Subject: ${subject}`,
      '--add-header',
      'Content-Type: text/html',
      '--body',
      html,
    ]);
  for (const [topic, payload] of [
    ['sensors/7/temp', '{"celsius": 21.5}'],
    ['sensors/8/temp', '{"celsius": 19}'],
    ['lamps/3/set', 'on'],
  ])
    await run('mosquitto_pub', ['-h', '127.0.0.1', '-p', urls.mqtt.port, '-t', topic, '-m', payload]);
  await run('sh', [
    '-c',
    `echo 'k1:{"id": 7}' | timeout 20 kcat -P -b 127.0.0.1:${urls.kafka.port} -t payments -K:`,
  ]);
  await run('amqp-publish', [
    '--url',
    `amqp://127.0.0.1:${urls.amqp.port}`,
    '-r',
    'orders',
    '-b',
    '{"id": 42}',
  ]);
  for (const name of ['www.example.com', 'nope.example.com'])
    await run('dig', ['+short', '@127.0.0.1', '-p', urls.dns.port, name]);
}

try {
  await sendTraffic();
  await run('curl', ['-s', '-d', '{"error_rate": 0.25, "delay": "200ms"}', `${urls.api.href}api/fault/smtp`]);
  for (const [kind, toxic] of [
    ['redis', '{"type": "latency", "attributes": {"latency": 120, "jitter": 30}, "ttl": "5m"}'],
    ['http', '{"type": "bandwidth", "attributes": {"rate": 64}, "toxicity": 0.5}'],
  ])
    await run('curl', ['-s', '-d', toxic, `${urls.api.href}api/toxics/${kind}`]);
  mkdirSync(IMAGES, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  for (const [look, options] of Object.entries(LOOKS)) {
    const page = await browser.newPage(options);
    for (const { file, scene } of listPictures().filter((picture) => picture.look === look)) {
      await SCENES[scene]?.(page, urls.api.href);
      await page.screenshot({ path: `${IMAGES}/${file}` });
    }
    await page.close();
  }
  await browser.close();
} finally {
  server.kill('SIGTERM');
}
