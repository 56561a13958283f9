import { Type } from '@backlot/core/plugin';
import { fails, type ManagementRoute } from './management-route.js';

/** What Prometheus asks for. */
export function metricsRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/metrics',
      name: 'getMetrics',
      tag: 'System',
      summary: 'Metrics, for Prometheus.',
      description:
        'Also at `/metrics`. The text format 0.0.4, or OpenMetrics 1.0 where `Accept` names `application/openmetrics-text`. Nothing is counted for it but what is counted anyhow.',
      query: {
        by: Type.Literal('mock', {
          description: 'Also how often each mock has matched; the 1,000 most called.',
        }),
      },
      responses: {
        200: { description: 'The metrics.', contentType: 'text/plain' },
        400: fails('A query parameter is not valid.'),
      },
      async handle({ headers, query }, host) {
        const { renderMetrics } = await import('../metrics/render-metrics.js');
        return renderMetrics(host, headers['accept'], query['by'] === 'mock');
      },
    },
  ];
}
