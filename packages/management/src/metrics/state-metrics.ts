import type { Host, Kind } from '@backlot/core';
import type { Family, Sample } from './write-metrics.js';

/** How many queues of a section are shown by name. */
const MAX_QUEUES = 200;

/** What there is now: connections, messages that are kept or wait, faults. */
export function stateMetrics(host: Host): Family[] {
  const running = host.kinds.filter(({ enabled }) => enabled);
  const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
    name,
    type: 'gauge',
    help,
    samples,
  });
  const status = running.map((kind) => ({ labels: { protocol: kind.kind }, status: kind.status() }));
  const ofStatus = (field: string): Sample[] =>
    status.flatMap(({ labels, status: { [field]: value } }) =>
      typeof value === 'number' ? [{ labels, value }] : [],
    );
  const troubles = host.troubles().filter(({ in_force: acts }) => acts);
  const open = new Map<string, number>();
  for (const { protocol } of host.streams.list()) open.set(protocol, (open.get(protocol) ?? 0) + 1);
  return [
    gauge(
      'backlot_up',
      'Whether a protocol listens.',
      status.map(({ labels, status: { state } }) => ({ labels, value: state === 'running' ? 1 : 0 })),
    ),
    gauge('backlot_connections', 'Open connections.', ofStatus('connections')),
    gauge(
      'backlot_streams',
      'Open streams.',
      Array.from(open, ([protocol, value]) => ({ labels: { protocol }, value })),
    ),
    gauge('backlot_mocks', 'Mocks, records, files and what else a protocol calls so.', ofStatus('mocks')),
    gauge('backlot_captured_messages', 'Captured messages that are held.', ofStatus('messages')),
    gauge(
      'backlot_queue_messages',
      `Messages that wait, by queue or what a protocol has of that kind; the first ${MAX_QUEUES} of each sort.`,
      running.flatMap(depthsOf),
    ),
    gauge(
      'backlot_troubles',
      'Faults and toxics that act now, by what they come from.',
      count(
        troubles.map(({ protocol, source, fault }) => ({
          protocol,
          source,
          what: fault === undefined ? 'toxic' : 'fault',
        })),
      ),
    ),
    gauge('backlot_log_entries', 'Log entries since the last clear.', [
      { value: host.journal.count().count },
    ]),
    gauge('backlot_state_keys', 'Keys of the state that mocks look at.', [{ value: host.state.size }]),
    ...(host.space === undefined
      ? [gauge('backlot_spaces', 'Spaces beside the main world.', [{ value: host.spaces.list().length }])]
      : []),
    {
      name: 'backlot_exceptions_total',
      type: 'counter',
      help: 'Exceptions that were caught while a protocol handled something.',
      samples: status.map(({ labels, status: { exceptions = 0 } }) => ({
        labels,
        value: Number(exceptions),
      })),
    },
  ];
}

function count(all: readonly Readonly<Record<string, string>>[]): Sample[] {
  const found = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();
  for (const labels of all) {
    const key = JSON.stringify(labels);
    const known = found.get(key) ?? { labels, value: 0 };
    found.set(key, { labels, value: known.value + 1 });
  }
  return [...found.values()];
}

/** How many messages wait in what a kind declares. Of a service that has not started nothing is known. */
function depthsOf(kind: Kind): Sample[] {
  if (kind.service === undefined) return [];
  const samples: Sample[] = [];
  for (const [section, { depth }] of Object.entries(kind.protocol.data ?? {})) {
    if (depth === undefined) continue;
    let shown = 0;
    for (const entry of kind.data.entries(section)) {
      if (shown === MAX_QUEUES) break;
      const value = entry.read()?.[depth];
      if (typeof value !== 'number') continue;
      shown += 1;
      samples.push({ labels: { protocol: kind.kind, section, name: entry.id }, value });
    }
  }
  return samples;
}
