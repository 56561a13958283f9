import type { Host, Kind, OutcomeTally } from '@backlot/core';
import type { Family, Sample } from './write-metrics.js';

/** The powers of two, in microseconds, at which durations are told apart: each is four times the one before, up to 16.8 s. */
const BOUNDS = [8, 10, 12, 14, 16, 18, 20, 22, 24];

/** What has been received, how it ended, and how long that took. */
export function exchangeMetrics(host: Host): Family[] {
  const kinds = host.kinds.map((kind) => ({ labels: { protocol: kind.kind }, outcomes: kind.outcomes() }));
  return [
    {
      name: 'backlot_exchanges_total',
      type: 'counter',
      help: 'Messages that were received, by how it ended: a mock matched, none did, a fault hit, the client left, or the protocol answered by itself.',
      samples: kinds.flatMap(({ labels, outcomes }) =>
        outcomes.map(({ outcome, count }) => ({ labels: { ...labels, outcome }, value: count })),
      ),
    },
    {
      name: 'backlot_exchange_duration_seconds',
      type: 'histogram',
      help: 'From a message to the end of its answer, with the delays that mocks and faults add.',
      samples: kinds.flatMap(({ labels, outcomes }) =>
        outcomes.length === 0 ? [] : histogram(labels, outcomes),
      ),
    },
  ];
}

function histogram(labels: Readonly<Record<string, string>>, outcomes: readonly OutcomeTally[]): Sample[] {
  const below = (bound: number): number =>
    outcomes.reduce(
      (sum, { buckets }) => sum + buckets.slice(0, bound + 1).reduce((so, each) => so + each, 0),
      0,
    );
  const count = outcomes.reduce((sum, each) => sum + each.count, 0);
  const milliseconds = outcomes.reduce((sum, each) => sum + each.milliseconds, 0);
  return [
    ...BOUNDS.map((bound) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(2 ** bound / 1e6) },
      value: below(bound),
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: milliseconds / 1000 },
    { suffix: '_count', labels, value: count },
  ];
}

/** How many mocks are shown, those that were called most. */
export const MAX_MOCKS = 1000;

/** The calls of mocks, bounded: the most called ones, and how many others there are, whose sum could fall, as no counter may. */
export function mockMetrics(host: Host): Family[] {
  const called = host.kinds.flatMap((kind) => callsOf(kind)).sort((one, other) => other.value - one.value);
  return [
    {
      name: 'backlot_mock_calls_total',
      type: 'counter',
      help: `How often a mock has matched since counts were last cleared; the ${MAX_MOCKS} most called ones.`,
      samples: called.slice(0, MAX_MOCKS),
    },
    {
      name: 'backlot_mocks_not_shown',
      type: 'gauge',
      help: 'How many mocks have matched and are not among those of backlot_mock_calls_total.',
      samples: [{ labels: {}, value: Math.max(0, called.length - MAX_MOCKS) }],
    },
  ];
}

function callsOf(kind: Kind): (Sample & { readonly value: number })[] {
  return Array.from(kind.calls.counts(), ([mock, value]) => ({
    labels: { protocol: kind.kind, mock },
    value,
  }));
}
