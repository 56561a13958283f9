import type { CommandDeclaration } from '@backlot/core/plugin';
import { curlLine } from '@backlot/kit/http';

/** Sends an operation again, by POST; subscriptions as server-sent events. */
export const COMMAND: CommandDeclaration = {
  tool: 'curl',
  write({ method, path, query, headers = {}, body }, place) {
    if (typeof body !== 'string') return undefined;
    const { authorization, ...rest } = headers;
    const traced = Object.entries(rest).filter(([name]) =>
      /^(?:traceparent|tracestate|x-[\w-]+)$/.test(name),
    );
    const variables = query?.['variables'];
    const request = {
      query: body,
      ...(path === '' || path === method ? {} : { operationName: path }),
      ...(typeof variables === 'string' ? { variables: parsed(variables) } : {}),
    };
    return curlLine(
      {
        method: 'POST',
        url: place.url,
        headers: {
          'content-type': 'application/json',
          ...(method === 'subscription' ? { accept: 'text/event-stream' } : {}),
          ...(authorization === undefined ? {} : { authorization }),
          ...Object.fromEntries(traced),
        },
        body: JSON.stringify(request),
      },
      place,
    );
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
