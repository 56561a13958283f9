import { expect } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { runCommand, startCommand } from '../command.js';

/** A server that runs a file written for Mockly, changed in nothing but its ports. */
export interface Served {
  readonly port: number;
  /** Where the protocol is, as the last line of `start` names it. */
  readonly url: string;
  /** Calls the management API and gives the body of its answer. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Sets a key of the state, which conditions look at. */
  setState(key: string, value: string): Promise<unknown>;
}

/** Options of {@link serveMockly}. */
export interface ServeOptions {
  /** What `validate` and `start` have to say; nothing when absent. */
  readonly hints?: RegExp;
  readonly warnings?: RegExp;
}

/** The file of a kind. */
export function fixtureOf(kind: string): string {
  return fileURLToPath(new URL(`../fixtures/mockly/${kind}.yaml`, import.meta.url));
}

/**
 * Starts the file of a kind, lets a client use it, activates the file's last scenario and checks that the file's fault
 * is in force, and stops.
 */
export async function serveMockly(
  kind: string,
  use: (served: Served) => Promise<void>,
  fault: object,
  { hints, warnings }: ServeOptions = {},
): Promise<void> {
  const file = fixtureOf(kind);
  const validated = await runCommand(['validate', file]);
  expect(validated).toMatchObject({ code: 0, stderr: '' });
  if (hints !== undefined) expect(validated.stdout).toMatch(hints);
  else expect(validated.stdout).not.toContain('hint:');

  const server = await startCommand(['-c', file, '--api-port=0', `--${kind}-port=0`]);
  try {
    const url = server.urls[kind] ?? '';
    const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${server.urls['api']}/api/${path}`, { method, ...sent });
      expect(answer.ok).toBe(true);
      return answer.json();
    };
    const port = Number(/:(\d+)/.exec(url)?.[1]);
    await use({ port, url, call, setState: (key, value) => call('POST', 'state', { [key]: value }) });

    const scenarios = (await call('GET', 'scenarios')) as readonly { readonly id: string }[];
    await call('POST', `scenarios/${scenarios.at(-1)?.id}/activate`);
    expect(await call('GET', `fault/${kind}/effective`)).toEqual({ delay: '1ms', error_rate: 1, ...fault });
    if (warnings === undefined) expect(server.errors()).toBe('');
    else expect(server.errors()).toMatch(warnings);
  } finally {
    expect((await server.stop()).code).toBe(0);
  }
}
