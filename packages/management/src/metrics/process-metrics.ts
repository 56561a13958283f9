import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import type { Host } from '@backlot/core';
import type { Family } from './write-metrics.js';

/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 20;

let delays: IntervalHistogram | undefined;

/** What the process uses. The event loop is watched from the first time on that somebody asks, as all of the process share it. */
export function processMetrics(host: Host): Family[] {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  if (delays === undefined) {
    delays = monitorEventLoopDelay({ resolution: RESOLUTION });
    delays.enable();
  }
  // What is above the pause between two looks is what it was late.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
  const lag =
    delays.count === 0
      ? { mean: 0, p99: 0, max: 0 }
      : {
          mean: late(delays.mean),
          p99: late(delays.percentile(99)),
          max: late(delays.max),
        };
  delays.reset();
  const gauge = (name: string, help: string, value: number): Family => ({
    name,
    type: 'gauge',
    help,
    samples: [{ value }],
  });
  return [
    {
      ...gauge('backlot_info', 'The version of the server.', 1),
      samples: [{ labels: { version: host.version, node: process.version }, value: 1 }],
    },
    {
      ...gauge('process_cpu_seconds_total', 'Processor time that the process has used.', 0),
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('process_start_time_seconds', 'When the process began, since 1970.', performance.timeOrigin / 1000),
    gauge('nodejs_heap_size_used_bytes', 'Memory of objects.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Memory that is there for objects.', heapTotal),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers and the like.', external),
    {
      ...gauge('nodejs_eventloop_lag_seconds', 'How late the event loop was since it was last asked for.', 0),
      samples: Object.entries(lag).map(([stat, value]) => ({ labels: { stat }, value })),
    },
  ];
}
