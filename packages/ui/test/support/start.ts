import type { AddressInfo } from 'node:net';
import { createHost, type Host, type HostOptions } from '@backlot/core';
import { createManagementServer } from '@backlot/management';
import { createWebhooks } from '@backlot/webhooks';
import { amqp } from '@backlot/amqp';
import { dns } from '@backlot/dns';
import { ftp } from '@backlot/ftp';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { ldap } from '@backlot/ldap';
import { mqtt } from '@backlot/mqtt';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { createPage } from '../../src/index.js';

/** A running server with its page. */
export interface Started {
  readonly host: Host;
  /** Where the page is, without a slash at its end. */
  readonly url: string;
  /** The port of a kind. */
  port(kind: string): number;
}

const running: (() => Promise<void>)[] = [];

/** Stops everything that tests of this file started. */
export async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}

/** Stops something with the rest. */
export function onStop(stop: () => Promise<void>): void {
  running.push(stop);
}

const SETTINGS = {
  http: {
    mocks: [
      {
        id: 'products',
        request: { method: 'GET', path: '/products' },
        response: { json: [{ id: 1, name: 'Lamp' }] },
      },
      {
        id: 'pay',
        request: { method: 'POST', path: '/payments' },
        delay: '20ms',
        response: { status: 201, json: { status: 'paid' } },
      },
      {
        id: 'ticker',
        request: { method: 'GET', path: '/ticker' },
        response: { stream: { events: [{ data: 'hello' }], keep_open: true } },
      },
    ],
  },
  redis: { data: { greeting: 'hello', 'user:7': 'Ada', 'user:8': 'Grace' } },
  smtp: {},
  mqtt: {},
  kafka: { topics: [{ name: 'payments', partitions: 1 }] },
  amqp: { queues: [{ name: 'orders' }] },
  dns: { mocks: [{ id: 'www', name: 'www.example.com', records: ['192.0.2.7'] }] },
  ftp: {},
  ldap: {
    base_dn: 'dc=example,dc=org',
    entries: [
      {
        dn: 'uid=ada,ou=people,dc=example,dc=org',
        attributes: { objectClass: ['person'], cn: 'Ada', sn: 'Lovelace' },
      },
    ],
  },
};

/** Starts nine protocols, the management port and its page, on free ports. */
export async function start(given: Partial<HostOptions> = {}, token?: string): Promise<Started> {
  const host = await createHost({
    seed: 1,
    version: '1.2.3',
    protocols: [http, redis, smtp, mqtt, kafka, amqp, dns, ftp, ldap],
    settings: SETTINGS,
    scenarios: [{ id: 'outage', name: 'Payments are down', patches: [{ mock_id: 'pay', status: 503 }] }],
    collections: { customers: { key: 'id', rows: [{ id: 'cus_1', name: 'Ada' }] } },
    webhooks: createWebhooks(),
    ...given,
  });
  await host.start();
  const server = createManagementServer(host, {
    page: createPage(),
    ...(token === undefined ? {} : { token }),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onStop(async () => {
    await host.stop(0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    host,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port(kind) {
      const { address } = host.kind(kind);
      if (address === undefined) throw new Error(`${kind} does not listen`);
      return address.port;
    },
  };
}
