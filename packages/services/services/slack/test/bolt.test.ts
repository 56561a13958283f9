import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as BoltModule from '@slack/bolt';
import type * as Socket from '@slack/socket-mode';

const load = createRequire(import.meta.url);
const { App, HTTPReceiver, LogLevel } = load('@slack/bolt') as typeof BoltModule;
const { SocketModeClient } = load('@slack/socket-mode') as typeof Socket;

const backlot = useBacklot({ services: ['slack'] });
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const nothing = (): undefined => undefined;
/** So that what the SDK finds wrong is not printed. */
const SILENT = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};
const quiet = { logLevel: LogLevel.ERROR };

async function until<T>(read: () => T | undefined): Promise<T> {
  for (;;) {
    const value = read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function simulate(what: string, body: object): Promise<Record<string, unknown>> {
  const url = backlot.env.SLACK_API_URL.replace(/api\/$/, `simulate/${what}`);
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}

/** An app of Bolt that takes signed requests, or connects by Socket Mode. */
async function startApp(
  how: 'http' | 'socket',
  signingSecret = backlot.env.SLACK_SIGNING_SECRET,
): Promise<BoltModule.App> {
  const { SLACK_API_URL: slackApiUrl, SLACK_APP_TOKEN: appToken, SLACK_BOT_TOKEN: token } = backlot.env;
  const clientOptions = { slackApiUrl };
  if (how === 'socket') {
    const app = new App({ token, appToken, socketMode: true, clientOptions, ...quiet });
    closing.push(() => app.stop());
    return app;
  }
  const receiver = new HTTPReceiver({ signingSecret, ...quiet });
  const app = new App({ token, receiver, clientOptions, ...quiet });
  const server = await receiver.start(0);
  closing.push(async () => {
    server.closeAllConnections();
    await receiver.stop();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  backlot.collection('slack:subscriptions').create({ url, events: ['*'] });
  return app;
}

/** The texts of the channel in which everybody is, oldest first. */
function texts(): string[] {
  const rows = backlot.collection<{ channel: string; text: string }>('slack:messages').list();
  return rows.filter(({ channel }) => channel === 'C0GENERAL').map(({ text }) => text);
}

describe.each(['http', 'socket'] as const)('an app of Bolt over %s', (how) => {
  it('hears messages and mentions, and answers', async () => {
    const app = await startApp(how);
    app.message('hello', async ({ message, say }) => {
      await say(`Hi <@${(message as { user: string }).user}>`);
    });
    app.event('app_mention', async ({ event, client }) => {
      await client.reactions.add({ channel: event.channel, timestamp: event.ts, name: 'wave' });
    });
    if (how === 'socket') await app.start();
    const said = await simulateMessage('U0ANN', 'hello there');
    await until(() => (texts().length === 2 ? true : undefined));
    expect(texts()).toEqual([said, 'Hi <@U0ANN>']);
    const rows = backlot.collection<{ text: string; reactions?: unknown[] }>('slack:messages');
    await simulateMessage('U0BOB', '<@U0BACKLOT> look');
    await until(() => rows.list().find(({ reactions }) => reactions !== undefined));
  });

  it('is called by commands, opens a view, and takes what was submitted', async () => {
    const app = await startApp(how);
    app.command('/order', async ({ ack, body, client, respond }) => {
      await ack();
      await client.views.open({
        trigger_id: body.trigger_id,
        view: {
          type: 'modal',
          callback_id: 'order',
          title: { type: 'plain_text', text: 'Order' },
          submit: { type: 'plain_text', text: 'Send' },
          blocks: [
            {
              type: 'input',
              block_id: 'what',
              label: { type: 'plain_text', text: 'What' },
              element: { type: 'plain_text_input', action_id: 'text' },
            },
          ],
        },
      });
      await respond({ text: `asked for ${body.text}`, response_type: 'in_channel' });
    });
    app.view('order', async ({ ack, view, client }) => {
      await ack();
      const text = view.state.values['what']?.['text']?.value ?? '';
      await client.chat.postMessage({ channel: 'C0GENERAL', text: `ordered ${text}` });
    });
    if (how === 'socket') await app.start();
    expect(await simulate('command', { command: '/order', text: 'tea' })).toMatchObject({
      ok: true,
      sent: 1,
    });
    await until(() => (texts().includes('asked for tea') ? true : undefined));
    const [view] = backlot.collection<{ id: string }>('slack:views').list();
    const values = { what: { text: { type: 'plain_text_input', value: 'two cups' } } };
    await simulate('interaction', { type: 'view_submission', view_id: view?.id, values });
    await until(() => (texts().includes('ordered two cups') ? true : undefined));
    expect(backlot.collection('slack:views').size).toBe(0);
  });

  it('hears a button, and changes its message', async () => {
    const app = await startApp(how);
    app.action('approve', async ({ ack, respond }) => {
      await ack();
      await respond({ text: 'approved', replace_original: true });
    });
    if (how === 'socket') await app.start();
    const { ts } = await app.client.chat.postMessage({ channel: 'C0GENERAL', text: 'approve?' });
    const actions = [{ type: 'button', action_id: 'approve', block_id: 'b', value: '1' }];
    await simulate('interaction', { type: 'block_actions', channel: 'C0GENERAL', message_ts: ts, actions });
    await until(() => (texts().includes('approved') ? true : undefined));
    expect(texts()).toEqual(['approved']);
  });
});

/** What a person says. */
async function simulateMessage(user: string, text: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer xoxp-${user}` };
  const body = JSON.stringify({ channel: 'C0GENERAL', text });
  await fetch(`${backlot.env.SLACK_API_URL}chat.postMessage`, { method: 'POST', headers, body });
  return text;
}

it('an app with another signing secret refuses what is sent', async () => {
  await startApp('http', 'another secret');
  await simulateMessage('U0ANN', 'hello');
  const attempt = await until(() => backlot.webhooks?.history().at(-1));
  expect(attempt.status_code).toBe(401);
});

describe('Socket Mode', () => {
  it('has each event acknowledged, and connects again when it is told to', async () => {
    const { SLACK_API_URL: slackApiUrl, SLACK_APP_TOKEN: appToken } = backlot.env;
    const client = new SocketModeClient({ appToken, clientOptions: { slackApiUrl }, ...quiet });
    closing.push(() => client.disconnect());
    const heard: unknown[] = [];
    client.on('reaction_added', ({ ack, event }: { ack: () => Promise<void>; event: unknown }) => {
      heard.push(event);
      void ack();
    });
    await client.start();
    await simulate('event', { type: 'reaction_added', user: 'U0ANN', reaction: 'tea' });
    const [envelope] = await until(() => {
      const rows = backlot.collection<{ acknowledged: boolean }>('slack:envelopes').list();
      return rows[0]?.acknowledged === true ? rows : undefined;
    });
    expect(envelope).toMatchObject({ type: 'events_api', payload: { event: heard[0] } });
    const again = new Promise<void>((resolve) => client.once('connected', () => resolve()));
    expect(await simulate('refresh', {})).toEqual({ ok: true, connections: 1 });
    await again;
  });

  it('needs an app-level token', async () => {
    const client = new SocketModeClient({
      appToken: 'xapp-invalid',
      clientOptions: { slackApiUrl: backlot.env.SLACK_API_URL },
      logger: SILENT,
    });
    client.on('error', () => undefined);
    await expect(client.start()).rejects.toMatchObject({ data: { error: 'invalid_auth' } });
  });
});
