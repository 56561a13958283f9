import type { UpstreamOf } from '@backlot/core/plugin';

/** What is read of the kind to read an url of its upstreams. */
export const HTTP_UPSTREAMS: UpstreamOf = {
  kind: 'http',
  meta: { url: 'http://{host}:{port}', transport: 'stream' },
  recording: { modes: ['spy', 'record_new', 'record_all', 'diff'], hasPath: true },
};
