import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const TOP = join(dirname(fileURLToPath(import.meta.url)), '..', 'services');

/** What goes wrong with every service, and the names that it has. */
const KINDS = {
  outage: ['outage'],
  limit: ['rate-limited'],
  slow: ['slow'],
  credentials: [
    'wrong-key',
    'wrong-token',
    'wrong-credentials',
    'wrong-client',
    'invalid-key',
    'expired-credentials',
    'expired-token',
    'session-expired',
  ],
} as const;

/** Where the service itself has another word, or nothing of that kind. */
const OWN: Readonly<Record<string, Partial<Record<keyof typeof KINDS, string | null>>>> = {
  // A portal slows down who guesses, by a ban.
  authelia: { limit: 'banned' },
  aws: { limit: 'throttled' },
  'aws-s3': { limit: 'throttled' },
  'azure-blob': { limit: 'throttled' },
  etcd: { outage: 'no-leader', credentials: 'expired-token-once' },
  // They have no limit of their own: a proxy in front of them would.
  keycloak: { limit: null },
  ntlm: { limit: null, credentials: 'refused' },
};

it.each(readdirSync(TOP))('%s has a scenario for each way in which any service fails', (service) => {
  const { scenarios } = parse(readFileSync(join(TOP, service, 'service.yaml'), 'utf8')) as {
    readonly scenarios: readonly { readonly id: string; readonly description: string }[];
  };
  const names = scenarios.map(({ id }) => id.slice(service.length + 1));
  const lacking = Object.entries(KINDS).filter(([kind, usual]) => {
    const own = OWN[service]?.[kind as keyof typeof KINDS];
    return own !== null && !(own === undefined ? usual : [own]).some((name) => names.includes(name));
  });
  expect(lacking.map(([kind]) => kind)).toEqual([]);
  expect(scenarios.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
});
