import type { ApiClient } from '../../client/api-client.js';
import type { ClientFlags } from '../connect.js';
import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';

interface ProtocolStatus {
  readonly protocol: string;
  readonly enabled: boolean;
  readonly state?: string;
  readonly host?: string;
  readonly port?: number;
  readonly mocks?: number;
  readonly connections?: number;
  readonly messages?: number;
  readonly error?: string;
}

/** `backlot status`. */
export async function status(api: ApiClient, flags: ClientFlags): Promise<void> {
  const health = (await api.get('/api/health')) as { status: string; version?: string; uptime_ms?: number };
  const protocols = (await api.get('/api/protocols')) as ProtocolStatus[];
  if (flags.json === true) return printJson({ health, protocols });
  const seconds = Math.floor((health.uptime_ms ?? 0) / 1000);
  print(`Backlot ${health.version ?? ''}: ${health.status}, up ${seconds} s`);
  printLines(
    formatTable(
      ['protocol', 'state', 'address', 'mocks', 'connections', 'messages', 'error'],
      protocols.map((entry) => [
        entry.protocol,
        entry.enabled ? (entry.state ?? '') : 'off',
        entry.enabled && entry.port !== undefined ? `${entry.host ?? ''}:${entry.port}` : '',
        entry.enabled ? String(entry.mocks ?? 0) : '',
        entry.enabled ? String(entry.connections ?? '') : '',
        entry.messages === undefined ? '' : String(entry.messages),
        entry.error ?? '',
      ]),
    ),
  );
}

/** `backlot reset`. */
export async function reset(api: ApiClient, flags: ClientFlags): Promise<void> {
  printDone('reset', await api.post('/api/reset'), flags);
}
