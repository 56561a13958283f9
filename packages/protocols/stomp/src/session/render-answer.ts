import { renderContent, type MatchOf } from '@backlot/core/plugin';
import type { CompiledResponse } from '../matcher.js';
import type { StompMessage } from '../message.js';
import type { StompShape } from '../shape.js';

/** One message of the answer of a mock. */
export interface RenderedAnswer {
  /** Where it goes; empty when the mock does not say so. */
  readonly destination: string;
  /** Without those that a server sets by itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Makes a message of the answer to what a mock has matched. */
export function renderAnswer(
  match: MatchOf<StompShape>,
  response: CompiledResponse,
  message: StompMessage,
): RenderedAnswer {
  const headers = Object.create(null) as Record<string, string>;
  if (response.contentType !== undefined) headers['content-type'] = match.render(response.contentType);
  for (const [name, value] of response.headers) headers[name] = match.render(value);
  const body =
    response.bytes ?? renderContent(response.body, (template) => match.render(template), message.body);
  const destination = response.destination === undefined ? '' : match.render(response.destination);
  return { destination, headers, body };
}
