import { createServer, type AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open, write } from './support/browser.js';
import { onStop, start, stopAll, type Started } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

/** Counts connections: what a mail loads from elsewhere would be one. */
async function listen(): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onStop(() => new Promise((resolve) => void server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

async function sendMail({ port }: Pick<Started, 'port'>, subject: string, html: string): Promise<void> {
  const script = `
import smtplib, sys
from email.message import EmailMessage
m = EmailMessage()
m['From'] = 'shop@example.com'
m['To'] = 'grace@example.com'
m['Subject'] = sys.argv[2]
m['X-Odd'] = '<b onclick=alert(1)>a header</b>'
m.set_content('Welcome as text')
m.add_alternative(sys.argv[3], subtype='html')
m.add_attachment(b'col\\n1\\n', maintype='text', subtype='csv', filename='rows.csv')
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as s: s.send_message(m)
`;
  const { code, err } = await runTool('/usr/bin/python3', [
    '-c',
    script,
    String(port('smtp')),
    subject,
    html,
  ]);
  if (code !== 0) throw new Error(err);
}

describe('captured messages', () => {
  itWithTool(
    'chromium python3',
    'a mail is shown as HTML, text and source with its attachments, and can do nothing to the page',
    async () => {
      const server = await start();
      const outside = await listen();
      await sendMail(
        server,
        '<img src=x onerror=document.title="owned">',
        `<h1>Welcome</h1><script>parent.document.title = 'owned'; top.location = 'http://127.0.0.1:${outside.port}/'</script>
         <img src="http://127.0.0.1:${outside.port}/pixel.png" onerror="parent.document.title='owned'">
         <link rel="stylesheet" href="http://127.0.0.1:${outside.port}/x.css"><meta http-equiv="refresh" content="0;url=http://127.0.0.1:${outside.port}/">
         <form action="http://127.0.0.1:${outside.port}/"><button>Go</button></form><iframe src="http://127.0.0.1:${outside.port}/"></iframe>
         <a href="http://127.0.0.1:${outside.port}/" target="_top">Link</a>`,
      );
      const { page } = await open(`${server.url}/#/messages?kind=smtp`);
      await page.getByRole('button', { name: /onerror/ }).click();
      const frame = page.frameLocator('iframe.mail');
      await frame.getByRole('heading', { name: 'Welcome' }).waitFor();
      await frame.getByText('Go', { exact: true }).click();
      await frame.getByText('Link').click({ force: true });
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await page.getByText('<b onclick=alert(1)>a header</b>').waitFor();
      await page.getByRole('button', { name: 'Text', exact: true }).click();
      await page.getByText('Welcome as text').waitFor();
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByText('MIME-Version: 1.0').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /rows.csv/ }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('rows.csv');
      expect(await readFile(await download.path(), 'utf8')).toBe('col\n1\n');
      // All of that was drawn, clicked and asked for meanwhile.
      expect(outside.count()).toBe(0);
      expect(await page.title()).toBe('Backlot');
      expect(page.url()).toContain(server.url);
      expect(await page.locator('main b, main img').count()).toBe(0);
      await sendMail(server, 'Another letter', '<p>Less of a danger</p>');
      const mails = page.getByRole('button', { name: /onerror|Another letter/ });
      await page.getByRole('button', { name: /Another letter/ }).waitFor();
      expect(await mails.count()).toBe(2);
      await page.getByRole('searchbox', { name: 'Search' }).fill('another');
      await page.getByRole('button', { name: /onerror/ }).waitFor({ state: 'detached' });
      expect(await mails.count()).toBe(1);
    },
    LONG,
  );

  itWithTool(
    'chromium python3',
    'a mail of a space is shown there, in a frame of its own, and in no other world',
    async () => {
      const { url, host } = await start();
      const { host: space } = await host.spaces.create({ id: 'team' });
      const smtp = space.kind('smtp');
      await smtp.wake();
      await sendMail({ port: () => smtp.address?.port ?? 0 }, 'Hello team', '<h1>Only here</h1>');
      const { page, complaints } = await open(`${url}/#/messages?kind=smtp&space=team`);
      await page.getByRole('button', { name: /Hello team/ }).click();
      const heading = page.frameLocator('iframe.mail').getByRole('heading', { name: 'Only here' });
      await heading.waitFor();
      const source = await page.locator('iframe.mail').getAttribute('src');
      expect(source).toContain('/api/frames/');
      const answer = await fetch(new URL(source ?? '', url));
      expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      await page.goto(`${url}/#/messages?kind=smtp`);
      await page.getByText('Hello team').waitFor({ state: 'detached' });
      expect(host.kind('smtp').captures?.values()).toEqual([]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium mosquitto_sub mosquitto_pub',
    'messages stand by their topics, and one is published and sent again to those who listen',
    async () => {
      const { url, port } = await start();
      const mqtt = ['-h', '127.0.0.1', '-p', String(port('mqtt'))];
      await runTool('mosquitto_pub', [...mqtt, '-t', 'lamps/1', '-m', '{"on": true}']);
      await runTool('mosquitto_pub', [...mqtt, '-t', 'lamps/2', '-m', 'off']);
      const listening = runTool('mosquitto_sub', [...mqtt, '-t', 'lamps/#', '-C', '2', '-v']);
      const { page, complaints } = await open(`${url}/#/messages?kind=mqtt`);
      await page.getByRole('button', { name: 'lamps/1 1' }).click();
      await page
        .getByRole('listitem')
        .getByRole('button', { name: /"on": true/ })
        .click();
      const detail = page.getByRole('region', { name: 'Message', exact: true });
      await detail.getByRole('button', { name: 'JSON' }).waitFor();
      // The listener must be there before something is sent.
      await page.waitForFunction(
        async (kind) =>
          ((await (await fetch(`api/connections/${kind}`)).json()) as { subscriptions: string[] }[]).some(
            ({ subscriptions }) => subscriptions.length > 0,
          ),
        'mqtt',
      );
      await detail.getByRole('button', { name: 'Send again' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Publish' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.editor[data-ready]').waitFor();
      await write(dialog.getByRole('textbox'), '{"topic": "lamps/3", "payload": 5}');
      await dialog.getByRole('button', { name: 'Publish' }).click();
      await dialog.getByRole('alert').waitFor();
      await write(dialog.getByRole('textbox'), '{"topic": "lamps/3", "payload": "dim"}');
      await dialog.getByRole('button', { name: 'Publish' }).click();
      expect((await listening).out).toBe('lamps/1 {"on": true}\nlamps/3 dim\n');
      expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    },
    LONG,
  );
});
