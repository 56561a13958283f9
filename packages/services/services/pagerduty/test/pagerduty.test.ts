import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { api } from '@pagerduty/pdjs';

const backlot = useBacklot({ services: ['pagerduty'] });

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly resource: unknown;
  readonly next: (() => Promise<Answer>) | undefined;
}

/** A call by the SDK, with the whole url in place of the host, as it documents. */
async function call(
  method: string,
  path: string,
  data?: object,
  more: {
    token?: string;
    headers?: Record<string, string>;
    retryTimeout?: number;
    requestTimeout?: number;
  } = {},
): Promise<Answer> {
  const answer = await api({
    token: backlot.env.PAGERDUTY_TOKEN,
    url: `${backlot.env.PAGERDUTY_URL}${path}`,
    method,
    headers: { From: 'ann@example.com' },
    ...(data === undefined ? {} : { data }),
    ...more,
  });
  return {
    status: answer.response.status,
    data: answer.data as never,
    resource: answer.resource,
    next: answer.next as never,
  };
}

/** An event: its SDK takes a host and no scheme, so that it is sent as the SDK would. */
async function send(body: unknown, path = '/v2/enqueue'): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${backlot.env.PAGERDUTY_URL}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

const SHOP = { id: 'PSHOP01', type: 'service_reference' };
const makeIncident = (more: object = {}): Promise<Answer> =>
  call('POST', '/incidents', {
    incident: { type: 'incident', title: 'The shop is down', service: SHOP, ...more },
  });
const trigger = (more: object = {}): object => ({
  routing_key: backlot.env.PAGERDUTY_ROUTING_KEY,
  event_action: 'trigger',
  dedup_key: 'shop/disk',
  payload: { summary: 'The disk is full', source: 'shop-1', severity: 'critical' },
  ...more,
});

describe('resources', () => {
  it.each([
    ['users', 'user', { name: 'Cy Example', email: 'cy@example.com' }, { name: 'Cy' }],
    [
      'services',
      'service',
      { name: 'Till', escalation_policy: { id: 'PPOLICY', type: 'escalation_policy_reference' } },
      { name: 'Tills' },
    ],
    [
      'escalation_policies',
      'escalation_policy',
      {
        name: 'Night',
        escalation_rules: [
          { escalation_delay_in_minutes: 5, targets: [{ id: 'PBOB001', type: 'user_reference' }] },
        ],
      },
      { num_loops: 2 },
    ],
  ])('%s are made, read, changed and deleted', async (name, one, value, change) => {
    const made = await call('POST', `/${name}`, { [one]: value });
    expect([made.status, made.resource]).toMatchObject([201, { ...value, type: one, summary: value.name }]);
    const { id } = made.resource as { id: string };
    expect((await call('GET', `/${name}/${id}`)).data[one]).toMatchObject(value);
    const changed = await call('PUT', `/${name}/${id}`, { [one]: change });
    expect(changed.resource).toMatchObject(change);
    expect((await call('DELETE', `/${name}/${id}`)).status).toBe(204);
    expect(await call('GET', `/${name}/${id}`)).toMatchObject({
      status: 404,
      data: { error: { message: 'Not Found', code: 2100 } },
    });
  });

  it('come in pages, which the SDK follows', async () => {
    const first = await call('GET', '/users', { limit: 1, total: true });
    expect(first.data).toMatchObject({ limit: 1, offset: 0, total: 2, more: true });
    expect(first.resource).toMatchObject([{ name: 'Ann Example' }]);
    const second = await first.next?.();
    expect(second?.resource).toMatchObject([{ name: 'Bob Example' }]);
    const all = await api({ token: 't' }).all('/users', {
      url: `${backlot.env.PAGERDUTY_URL}/users`,
      data: { limit: 1 },
    });
    expect(all.resource).toHaveLength(2);
    expect((await call('GET', '/users', { query: 'bob' })).resource).toMatchObject([{ id: 'PBOB001' }]);
    expect((await call('GET', '/users/me')).data['user']).toMatchObject({ id: 'PANN001' });
  });

  it.each([
    ['POST', '/users', {}, 'user is missing'],
    ['POST', '/users', { user: { name: '', email: 'x' } }, 'Name cannot be empty.'],
    ['POST', '/users', { user: { name: 'Ann', email: 'ann@example.com' } }, 'Email has already been taken'],
    [
      'POST',
      '/services',
      { service: { name: 'X', escalation_policy: { id: 'NONE' } } },
      'Escalation policy was not found.',
    ],
    [
      'POST',
      '/escalation_policies',
      { escalation_policy: { name: 'X' } },
      'Escalation rules must have at least one rule.',
    ],
    ['POST', '/webhook_subscriptions', { webhook_subscription: {} }, 'delivery_method.url is invalid'],
    ['POST', '/incidents', { incident: { title: 'x', service: { id: 'NONE' } } }, 'Service was not found.'],
    ['GET', '/users?limit=0', undefined, 'Limit must be from 1 to 100'],
  ])('refuse %s %s %j', async (method, path, data, message) => {
    expect(await call(method, path, data)).toMatchObject({
      status: 400,
      data: {
        error: { code: 2001, message: 'Invalid Input Provided', errors: expect.arrayContaining([message]) },
      },
    });
  });
});

describe('incidents', () => {
  it('are opened, acknowledged, resolved and reopened', async () => {
    const made = await makeIncident({ urgency: 'low' });
    expect(made.status).toBe(201);
    expect(made.resource).toMatchObject({
      incident_number: 1,
      status: 'triggered',
      urgency: 'low',
      summary: '[#1] The shop is down',
      service: { id: 'PSHOP01', summary: 'Shop' },
      assignments: [{ assignee: { id: 'PANN001' } }],
    });
    const { id } = made.resource as { id: string };
    const acknowledged = await call('PUT', `/incidents/${id}`, {
      incident: { type: 'incident', status: 'acknowledged' },
    });
    expect(acknowledged.resource).toMatchObject({ acknowledgements: [{ acknowledger: { id: 'PANN001' } }] });
    const resolved = await call('PUT', '/incidents', { incidents: [{ id, status: 'resolved' }] });
    expect(resolved.data).toMatchObject({ incidents: [{ status: 'resolved', assignments: [] }] });
    expect(
      (await call('PUT', `/incidents/${id}`, { incident: { status: 'acknowledged' } })).data,
    ).toMatchObject({
      error: { errors: ['Incident Already Resolved'] },
    });
    await call('PUT', '/incidents/1', { incident: { status: 'triggered' } });
    const log = (await call('GET', `/incidents/${id}/log_entries`)).data['log_entries'] as { type: string }[];
    expect(log.map(({ type }) => type)).toEqual(
      ['trigger', 'resolve', 'acknowledge', 'trigger'].map((one) => `${one}_log_entry`),
    );
  });

  it('are found by status, urgency and key, and have notes', async () => {
    const first = await makeIncident({ incident_key: 'k' });
    await makeIncident({ urgency: 'low' });
    expect((await makeIncident({ incident_key: 'k' })).status).toBe(400);
    const { id } = first.resource as { id: string };
    expect((await call('GET', '/incidents?urgencies[]=low&statuses[]=triggered')).resource).toHaveLength(1);
    expect((await call('GET', '/incidents?statuses[]=resolved')).resource).toEqual([]);
    expect((await call('GET', '/incidents?incident_key=k')).resource).toMatchObject([{ id }]);
    const note = await call('POST', `/incidents/${id}/notes`, { note: { content: 'on it' } });
    expect([note.status, note.data]).toMatchObject([
      201,
      { note: { content: 'on it', user: { id: 'PANN001' } } },
    ]);
    expect((await call('GET', `/incidents/${id}/notes`)).data['notes']).toHaveLength(1);
  });

  it('need to know who acts', async () => {
    const incident = { incident: { title: 'x', service: SHOP } };
    const nobody = await call('POST', '/incidents', incident, { headers: { From: 'no@example.com' } });
    expect(nobody.data).toMatchObject({ error: { errors: ['Requester User Not Found: no@example.com'] } });
    expect((await call('POST', '/incidents', incident, { headers: {} })).status).toBe(400);
  });
});

describe('events', () => {
  it('with one dedup key are about one incident until it is resolved', async () => {
    expect(await send(trigger())).toEqual({
      status: 202,
      json: { status: 'success', message: 'Event processed', dedup_key: 'shop/disk' },
    });
    await send(trigger({ payload: { summary: 'Still full', source: 'shop-1', severity: 'critical' } }));
    const { resource } = await call('GET', '/incidents');
    expect(resource).toMatchObject([{ title: 'The disk is full', urgency: 'high', status: 'triggered' }]);
    const [{ id = '' } = {}] = resource as { id?: string }[];
    expect((await call('GET', `/incidents/${id}/alerts`)).data).toMatchObject({
      alerts: [{ alert_key: 'shop/disk', summary: 'Still full' }],
    });
    await send(trigger({ event_action: 'acknowledge' }));
    expect((await call('GET', `/incidents/${id}`)).resource).not.toBeNull();
    await send(trigger({ event_action: 'resolve' }));
    expect((await call('GET', '/incidents?statuses[]=resolved')).resource).toHaveLength(1);
    await send(trigger());
    expect((await call('GET', '/incidents')).resource).toHaveLength(2);
  });

  it('of changes are kept', async () => {
    const body = { routing_key: backlot.env.PAGERDUTY_ROUTING_KEY, payload: { summary: 'Deployed 1.2' } };
    expect((await send(body, '/v2/change/enqueue')).status).toBe(202);
    expect(backlot.collection('pagerduty:change_events').list()).toMatchObject([{ summary: 'Deployed 1.2' }]);
  });

  it.each([
    [[], 'the body must be an object of JSON'],
    [{}, "'routing_key' is missing or blank"],
    [{ routing_key: 'x' }, "'routing_key' is invalid: no service has it as integration key"],
    [
      { event_action: 'shout' },
      "'event_action' is invalid (must be one of the following: trigger, acknowledge, resolve)",
    ],
    [{ event_action: 'resolve', dedup_key: undefined }, "'dedup_key' is missing or blank"],
    [
      { payload: { summary: 'x', source: 'y', severity: 'bad' } },
      "'payload.severity' is invalid (must be one of the following: critical, warning, error, info)",
    ],
  ])('are refused for %j', async (change, error) => {
    const body = Object.keys(change).some((key) => key !== 'routing_key') ? trigger(change) : change;
    expect(await send(body)).toEqual({
      status: 400,
      json: {
        status: 'invalid event',
        message: 'Event object is invalid',
        errors: expect.arrayContaining([error]),
      },
    });
  });
});

describe('webhooks', () => {
  it('are sent what they want, signed', async () => {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    let arrived: () => void = () => undefined;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.end();
        arrived();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const two = new Promise<void>((resolve) => {
        arrived = () => (got.length === 2 ? resolve() : undefined);
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const made = await call('POST', '/webhook_subscriptions', {
        webhook_subscription: {
          delivery_method: {
            type: 'http_delivery_method',
            url,
            custom_headers: [{ name: 'X-Tea', value: '1' }],
          },
          events: ['incident.resolved', 'pagey.ping'],
          filter: { type: 'service_reference', id: 'PSHOP01' },
        },
      });
      const { id, delivery_method: method } = made.data['webhook_subscription'] as {
        id: string;
        delivery_method: { secret: string };
      };
      expect(method.secret).toHaveLength(60);
      const read = await call('GET', `/webhook_subscriptions/${id}`);
      expect(read.data).toMatchObject({ webhook_subscription: { delivery_method: { secret: null } } });
      await send(trigger());
      await send(trigger({ event_action: 'resolve' }));
      // The answer has no body, for which the SDK rejects with it.
      await expect(call('POST', `/webhook_subscriptions/${id}/ping`)).rejects.toMatchObject({ status: 202 });
      await two;
      const types = got.map(
        ({ body }) => (JSON.parse(body) as { event: { event_type: string } }).event.event_type,
      );
      expect(types.sort()).toEqual(['incident.resolved', 'pagey.ping']);
      for (const { headers, body } of got) {
        const signature = createHmac('sha256', method.secret).update(body).digest('hex');
        expect(headers).toMatchObject({ 'x-pagerduty-signature': `v1=${signature}`, 'x-tea': '1' });
      }
    } finally {
      server.close();
    }
  });
});

describe('scenarios', () => {
  it('rate-limited-once lets the SDK repeat', async () => {
    backlot.scenarios.activate('pagerduty:rate-limited-once');
    expect((await call('GET', '/users', undefined, { retryTimeout: 1 })).resource).toHaveLength(2);
    expect(backlot.host.kind('http').calls.of('pagerduty:rate-limited-once').count).toBe(1);
  });

  it.each([
    ['rate-limited', 429, 2020],
    ['wrong-token', 401, 2006],
    ['forbidden', 403, 2010],
  ])('%s', async (name, status, code) => {
    backlot.scenarios.activate(`pagerduty:${name}`);
    const answer = await call('GET', '/users', undefined, { retryTimeout: 1, requestTimeout: 0 });
    expect(answer).toMatchObject({ status, data: { error: { code } } });
  });

  it('outage rejects, since the answer is no JSON', async () => {
    backlot.scenarios.activate('pagerduty:outage');
    await expect(call('GET', '/users')).rejects.toMatchObject({ status: 503 });
  });

  it('events-limited refuses events alone', async () => {
    backlot.scenarios.activate('pagerduty:events-limited');
    expect(await send(trigger())).toMatchObject({ status: 429, json: { status: 'throttle exceeded' } });
    expect((await call('GET', '/users')).status).toBe(200);
  });

  it('slow goes on when the clock does', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('pagerduty:slow');
    const sent = send(trigger());
    await backlot.host.kind('http').calls.wait('pagerduty:events.enqueue', 1, 10_000);
    await backlot.clock.advance(600_000);
    expect((await sent).status).toBe(202);
  });

  it('tokens that are wrong, or only read, are refused', async () => {
    expect((await call('GET', '/users', undefined, { token: 'invalid' })).status).toBe(401);
    expect((await call('POST', '/users', { user: {} }, { token: 'readonly' })).status).toBe(403);
  });

  it('an unknown path says which are known', async () => {
    const { status, data } = await call('GET', '/schedules');
    expect([status, JSON.stringify(data)]).toEqual([
      404,
      expect.stringContaining('/escalation_policies/{id}'),
    ]);
  });
});
