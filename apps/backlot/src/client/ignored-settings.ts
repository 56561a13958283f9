import type { Json, Protocol } from '@backlot/core';
import type { FileSettings } from '../config/settings.js';
import { listKeysOf } from './file-lists.js';

/** What `GET /api/protocols` says of a kind, as far as it matters here. */
export interface RunningKind {
  readonly protocol: string;
  readonly enabled: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly tls?: boolean;
}

/** The keys of a file that can be applied to a running server, or that are this command's own. */
const APPLIED: readonly string[] = ['protocols', 'scenarios', 'state', 'plugins', 'include'];
const AT_START = 'counts at a start; restart the server when it has changed';

/** The settings at the top of a file that a running server does not take, a sentence each. */
export function ignoredAtTop(settings: FileSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (APPLIED.includes(name)) return [];
    const inner =
      name === 'api' || name === 'webhooks' || name === 'logs' || name === 'tls'
        ? Object.keys(value as object)
        : [];
    const paths = inner.length === 0 ? [name] : inner.map((key) => `${name}.${key}`);
    return paths.map((path) => `${path} ${AT_START}`);
  });
}

/** The settings of a kind's block that a running server does not take; those that it shows only when they differ. */
export function ignoredOf(protocol: Protocol, block: Json, running: RunningKind): string[] {
  const lists = listKeysOf(protocol);
  return Object.entries(block).flatMap(([name, value]) => {
    const path = `${protocol.kind}.${name}`;
    if (name === 'enabled' || lists.includes(name)) return [];
    if (name === 'port' || name === 'host') {
      // Port 0 is any port.
      if (value === running[name] || value === 0) return [];
      return [
        `${path} is ${String(value)} in the file and ${String(running[name])} on the server; restart it to change it`,
      ];
    }
    if (name === 'tls' && isOn(value) !== (running.tls === true)) {
      return [
        `${path} is ${isOn(value) ? 'on' : 'off'} in the file and not on the server; restart it to change it`,
      ];
    }
    return [`${path}${holdsMocks(protocol, name) ? ', apart from its mocks,' : ''} ${AT_START}`];
  });
}

function holdsMocks({ mocks }: Protocol, name: string): boolean {
  return (mocks.furtherLists ?? []).some((pointer) => pointer.startsWith(`/${name}/`));
}

function isOn(tls: unknown): boolean {
  return typeof tls === 'object' && tls !== null && (tls as { enabled?: unknown }).enabled !== false;
}
