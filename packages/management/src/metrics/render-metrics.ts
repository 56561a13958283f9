import type { Host } from '@backlot/core';
import { exchangeMetrics, mockMetrics } from './exchange-metrics.js';
import { processMetrics } from './process-metrics.js';
import { stateMetrics } from './state-metrics.js';
import { formatFor, writeMetrics } from './write-metrics.js';

/**
 * All metrics of a host as text; those of the process only where it is no space.
 *
 * @param accept - the header `Accept`, which says in which format. @param byMock - whether calls of mocks are among them
 */
export function renderMetrics(
  host: Host,
  accept: string | readonly string[] | undefined,
  byMock: boolean,
): { readonly text: string; readonly contentType: string } {
  const families = [
    ...exchangeMetrics(host),
    ...stateMetrics(host),
    ...(byMock ? mockMetrics(host) : []),
    ...(host.space === undefined ? processMetrics(host) : []),
  ];
  return writeMetrics(families, formatFor(accept));
}
